#!/bin/bash
# $title
$about
#SBATCH --job-name=weft
#SBATCH --nodes=$nodes
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=$gpus_per_node
#SBATCH --exclusive
$array
# Submit it: sbatch FILE. sbatch has no parser that could be asked here: the options above were not checked.
set -euo pipefail
export HEAD=$$(scontrol show hostnames "$$SLURM_JOB_NODELIST" | head -n 1)

$settings

srun bash -c 'export RANK="$$SLURM_NODEID"
$command'
