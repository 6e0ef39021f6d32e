"""Short answers to what is asked of a plan: sentences by name, of which a kind of question says which it tells
(``knowledge/language/followups.yaml``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType

from . import (
    amounts_of_work,
    bandwidth,
    bargaining,
    break_even,
    changing,
    choice,
    compared,
    configuring,
    contract,
    cut_short,
    day_to_day,
    doubted,
    equipment,
    faults,
    forms,
    frank,
    hardware,
    horizon,
    interrupted,
    judged,
    kinds,
    layouts,
    learning,
    moving,
    named_sums,
    networks,
    operations,
    other_gpus,
    otherwise,
    outlay,
    owning,
    parts_of_a_step,
    pressed,
    replicas,
    running,
    schedule,
    sellers,
    service,
    serving_limits,
    signing,
    site,
    spending,
    sums,
    supplying,
    terms,
    terms_of_rent,
    thresholds,
    traffic,
    trials,
    trust,
    waiting,
)
from .asked import Asked
from .remedy import remedied

__all__ = ["SENTENCES", "Asked", "remedied", "sentences"]

Sentence = Callable[[Asked], "str | Iterable[str] | None"]
_BY_MODULE: Mapping[ModuleType, Sequence[str]] = {
    choice: (
        "do price finish check_first why_short sentence one_line plain_do plain_cost plain_why plain_risk because "
        "because_numbers turns turn_nearest turns_otherwise runner_up certainty"
    ).split(),
    sums: (
        "month_and_total price_short year money_range drives budget price_room budget_risk price_source price_age "
        "price_quote included included_items not_included cut cut_not cheapest_named cheapest_catch cheapest_check "
        "cheapest_line idle idle_save quoted quote_even cheapest_given_up"
    ).split(),
    networks: (
        "need_beyond need not_yet need_offer need_reason need_more enough time_lost deadline upgrade against "
        "against_needs exposed_means exposed_here time_parts after_overlap parts_asked traffic_note need_rollouts "
        "little_because little_plainer"
    ).split(),
    hardware: (
        "design_counts design_money design_next order_machines order_network order_missing fits memory_counts "
        "states order_position oom_here oom_stops oom_steps fits_phases split_here"
    ).split(),
    trust: (
        "rests_on hangs_on mfu_each percentiles_mean percentiles_here percent_said measured cite computed "
        "measure_yourself mfu mfu_source throughput_source mfu_range assumed_speed assumed_named assumed "
        "assumed_count nobody_pays criteria budget_at_p90 supposed_mfu least_sure least_sure_first "
        "least_sure_said range_percent ranking_percent not_modelled"
    ).split(),
    operations: (
        "slack failures_met weakest failures watch on_failure restart failure_prepare job_limit settings "
        "settings_untuned settings_check skills lock_in ask_seller "
        "next_1 next_2 next_3 stock team_change team_gain quick_test"
    ).split(),
    trials: (
        "sizes sizes_day sizes_deadline sizes_verdict one_site one_site_risk twice_the_load spot "
        "spot_risk experts_inside sizes_network precision "
        "precision_risk"
    ).split(),
    moving: "leave leave_hassle rent_or_buy_decided rent_or_buy rent_or_buy_turn ownership_open".split(),
    schedule: (
        "overnight machines_weeks finish_from finish_range how_long by_the_day sooner late late_meanwhile gpu_hours"
    ).split(),
    judged: "needed works_instead works_rented sane sane_because".split(),
    doubted: "off_by off_by_limits off_by_check claim claim_why claim_check".split(),
    terms: "quote_includes pay_early pay_early_sum quote_why price_doubted price_off price_off_turn".split(),
    service: (
        "spare spare_now first_target first_target_why first_target_limit node_lost node_lost_now tail "
        "tail_reserve serving_need user_speed"
    ).split(),
    bandwidth: "line_rate line_rate_named line_rate_sites one_way".split(),
    bargaining: (
        "per_hour per_node bid bid_even bid_check unit_cost discount haggle rent_for for_the_sum hosted_api"
    ).split(),
    forms: "points paragraph mail quotes_table speeds_of_quotes".split(),
    other_gpus: "other_gpus overnight_on peaks".split(),
    waiting: (
        "waiting_cost waiting_pays deadline_sure deadline_risk more_for_it doubted_figure doubt_time start_later "
        "listed stored"
    ).split(),
    equipment: "own_gear switch_price switch_named".split(),
    replicas: "day_and_night one_node disaggregated twice_at_once".split(),
    otherwise: "gpus_judged lora lora_alone lora_fewer patient".split(),
    spending: "bill_most largest_part included_named less_money ages books".split(),
    signing: (
        "negotiable seller_fails in_writing call_first turns_plain without_term quote_of_network second_source"
    ).split(),
    running: "by_a_factor stopped_between untouched quantised own_split lead_time in_the_switch".split(),
    traffic: (
        "wiring_means wiring_here all_reduce_means irrelevant equivalent rated reached_less overlap diloco exchanged"
    ).split(),
    changing: "tapered adapters balancing upgrade_later inside rates".split(),
    compared: "spread spread_from dearer second_place apart".split(),
    learning: "phases phases_network weight_sync at_once shared".split(),
    faults: "failure_rate link_faults slow_link".split(),
    contract: "neutral_spec acceptance monitor".split(),
    site: "power_enough cables_reach rails per_port grown".split(),
    outlay: (
        "years_total purchase_budget residual network_share wait_for_prices credits payback runs_per_week per_unit"
    ).split(),
    frank: "solid weak show_verdict rounded ahead kindly cannot_get slide".split(),
    break_even: "parity slower_on disprove regret worst_case first_limit accumulate".split(),
    configuring: "variables engine first_day lost_at_a_stop".split(),
    supplying: "data_rate per_parameter more_data delivery_risk beside_a_server energy".split(),
    pressed: "promised one_number next_offer price_named odds if_forced day_one evidence rack_scale tips_named".split(),
    parts_of_a_step: (
        "step_gap step_made_of even_bandwidth effective_rate upgrade_steps experts_cost expert_parallel_named "
        "sharded_inside"
    ).split(),
    serving_limits: (
        "gpus_range saturates cache_moves replica_lost both_sides runs_alone peak_or_mean api_beside"
    ).split(),
    owning: (
        "dearer_power cables_share owning_from with_a_string checkpoint_every counted_failures idle_term taper_saves"
    ).split(),
    terms_of_rent: "tiers used falling which_are_quotes".split(),
    named_sums: "colocation sum_in_currency network_at_sum one_switch used_for".split(),
    sellers: "other_sellers other_bids named_seller seller_price without_seller which_others trust_seller".split(),
    kinds: "unit_of_each price_of_each gpu_at_less".split(),
    horizon: (
        "left_early waited_for term_at_a_discount term_while_falling in_more_time term_or_demand over_years"
    ).split(),
    cut_short: "part_way late_chance".split(),
    layouts: "layout_planned splits_named rates_named fewest_that_fit".split(),
    interrupted: "preempted".split(),
    day_to_day: "operated paused spare_nodes cash_when power_and_room run_longer".split(),
    thresholds: "knee within_share nodes_out".split(),
    amounts_of_work: "runs_cover times_as_long less_work scale_lost".split(),
}  # fmt: skip
SENTENCES: dict[str, Sentence] = {
    name.replace("_", "-"): getattr(module, name) for module, names in _BY_MODULE.items() for name in names
}


def sentences(asked: Asked, names: Sequence[str]) -> list[str]:
    """What is said of a plan, in the order of the names; what has nothing to say is left out, and nothing twice."""
    said: dict[str, None] = {}
    for name in names:
        found = SENTENCES[name](asked)
        for text in [found] if isinstance(found, str) else found or ():
            said.setdefault(text)
    return [text for text in said if text]
