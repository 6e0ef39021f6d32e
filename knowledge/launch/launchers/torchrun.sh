#!/bin/bash
# $title
$about
# On each of the $nodes nodes: HEAD=<host of the first> RANK=<0 to $last> bash FILE
set -euo pipefail
: "$${HEAD:?the host of the first node}" "$${RANK:?the number of this node, from 0}"

$settings

$command
