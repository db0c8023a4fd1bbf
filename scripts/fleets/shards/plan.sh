# Functions of scripts/fleets/parallel and scripts/fleets/slurm, which source this file: the plan of a replay in shards.
#
# OUTPUT.shards has these files; only the shards themselves are large:
#   plan         the arguments of scripts/fleets/shards/make, each ended by a zero byte
#   shard-N      the results folder of a shard
#   logs/N.txt   what the shard printed in all attempts

# fail STATUS MESSAGE
fail() {
    echo "$program: $2" >&2
    exit "$1"
}

# Reads the options of both scripts from "$@". Other options are given to the function own_option, which sets `taken` to
# the number of arguments that it read, or fails. Sets shards, output, binary, force_merge and arguments.
read_options() {
    shards= output= binary= arguments=()
    while [ $# -gt 0 ]; do
        taken=2
        case "$1" in
            -h | --help) usage && exit 0 ;;
            --) shift && arguments=("$@") && break ;;
            --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" && continue ;;
            --shards | --output | -o | --cachereplay)
                [ $# -ge 2 ] || fail 64 "$1 needs a value."
                case "$1" in
                    --shards) shards="$2" ;;
                    --cachereplay) binary="$2" ;;
                    *) output="$2" ;;
                esac ;;
            *) own_option "$@" ;;
        esac
        shift "$taken"
    done
    is_count "$shards" && [ "$shards" -le 100000 ] || fail 64 "--shards is a number from 1 to 100000, not '$shards'."
    [ -n "$output" ] || fail 64 "--output is missing: the folder for the joined results."
    [ ${#arguments[@]} -gt 0 ] ||
        fail 64 "the arguments of the replay are missing: $program --shards 8 --output DIR -- TRACE… --cache …"
    local argument
    for argument in "${arguments[@]}"; do
        case "$argument" in
            --shard | --shard=* | --output | --output=* | -o | --resume | --force)
                fail 64 "$argument is an option that $program gives to each shard; leave it out after --." ;;
            --requests | --requests=*) fail 64 "--requests: rows of requests are not joined; leave it out after --." ;;
        esac
    done
    find_binary
    output="$(realpath -m -- "$output")"
    folder="$output.shards"
}

is_count() { [[ "$1" =~ ^[1-9][0-9]{0,8}$ ]]; }

find_binary() {
    local built
    built="$(dirname "${BASH_SOURCE[0]}")/../../../.build/release/cachereplay"
    if [ -n "$binary" ]; then
        [ -f "$binary" ] && [ -x "$binary" ] || fail 66 "--cachereplay $binary: not a program."
    elif command -v cachereplay >/dev/null; then
        binary="$(command -v cachereplay)"
    elif [ -x "$built" ]; then
        binary="$built"
    else
        fail 69 "cachereplay is not on PATH; scripts/demo builds it. --cachereplay PATH names another one."
    fi
    binary="$(realpath -- "$binary")"
}

# Creates OUTPUT.shards, or checks that it is of the same replay. Sets merge_options.
open_plan() {
    merge_options=(--no-notes)
    if [ -e "$output/run.json" ]; then
        # A merge that was killed is made again; anything else stays.
        if [ ! -e "$folder/plan" ] || has_end "$output"; then
            fail 73 "$output holds results already. Name another --output, or remove it."
        fi
        merge_options+=(--force)
    fi
    mkdir -p "$folder/logs" 2>/dev/null || fail 73 "$folder cannot be created. Check its parent folder."
    local argument
    for argument in "${arguments[@]}"; do
        case "$argument" in --no-charts | --charts | -q | --quiet | --csv-safe) merge_options+=("$argument") ;; esac
    done
    local new="$folder/plan.$$"
    printf '%s\0' "$PWD" "$binary" "$shards" "${arguments[@]}" >"$new" || fail 74 "$new cannot be written."
    if [ -e "$folder/plan" ] && ! cmp -s "$new" "$folder/plan"; then
        rm "$new"
        read_plan
        fail 73 "$folder has $shards shards of another command, in $working_folder:
  $(printf '%q ' "$binary" replay "${arguments[@]}")
Repeat that one there, name another --output, or remove the folder."
    fi
    mv "$new" "$folder/plan"
}

# Sets working_folder, binary, shards and arguments from $folder/plan.
read_plan() {
    local plan
    mapfile -d '' plan <"$folder/plan" || fail 66 "$folder/plan cannot be read; do all machines have this folder?"
    working_folder="${plan[0]}" binary="${plan[1]}" shards="${plan[2]}" arguments=("${plan[@]:3}")
}

# Whether a results folder was finished, by its run.json.
has_end() { grep -q '^  "end" :' "$1/run.json" 2>/dev/null; }

# Whether a shard has all its runs. merge checks more, and has the last word.
is_complete() {
    local results="$folder/shard-$1" runs lines=0
    has_end "$results" && grep -q '^  "failed" : 0,' "$results/run.json" || return 1
    runs="$(sed -n 's/^  "runs" : \([0-9]*\),$/\1/p' "$results/run.json")"
    [ ! -e "$results/runs.jsonl" ] || lines="$(wc -l <"$results/runs.jsonl")"
    [ "${runs:-none}" = "$lines" ]
}

# Prints the numbers of the shards that are not complete.
incomplete_shards() {
    local number
    for ((number = 1; number <= shards; number++)); do is_complete "$number" || echo "$number"; done
}

# Names up to 20 shards that are not complete, each with its log and the last line of that, on standard error.
report_incomplete() {
    local numbers number log
    mapfile -t numbers < <(incomplete_shards)
    echo "$program: ${#numbers[@]} of $shards shards are not complete: $(ranges "${numbers[@]}")" >&2
    for number in "${numbers[@]:0:20}"; do
        log="$folder/logs/$number.txt"
        echo "  shard $number: $log: $(tail -n 1 "$log" 2>/dev/null || echo "did not start")" >&2
    done
}

# ranges 1 2 3 7 prints 1-3,7
ranges() {
    local first= last= number text=
    for number in "$@" end; do
        if [ -n "$last" ] && [ "$number" = $((last + 1)) ]; then
            last="$number"
            continue
        fi
        [ -z "$first" ] || { [ "$first" = "$last" ] && text+=",$first" || text+=",$first-$last"; }
        first="$number" last="$number"
    done
    echo "${text#,}"
}

# Joins all shards. The paths of many thousand shards fit in a command line: Linux allows 2 MB.
merge_shards() {
    local number paths=()
    for ((number = 1; number <= shards; number++)); do paths+=("shard-$number"); done
    (cd "$folder" && exec "$binary" merge "${paths[@]}" --output "$output" "${merge_options[@]}")
}
