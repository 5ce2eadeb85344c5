# A virtual X screen for tests. Sourced after common.sh.
# shellcheck shell=bash

# start_display SIZE: starts Xvfb on a free display, sets DISPLAY and `xvfb_pid`; stop_display ends it.
start_display() {
    local size=$1 answer
    answer=$(mktemp -d)
    mkfifo "$answer/number"
    Xvfb -displayfd 3 -screen 0 "$size" +extension GLX -nolisten tcp -noreset 3>"$answer/number" >"$answer/log" 2>&1 &
    xvfb_pid=$!
    if ! read -r -t 30 number <"$answer/number"; then
        cat "$answer/log" >&2
        fail "The virtual X screen (Xvfb) did not start."
    fi
    rm -rf "$answer"
    export DISPLAY=":$number"
}

stop_display() {
    if [[ -n ${xvfb_pid:-} ]]; then
        kill "$xvfb_pid" 2>/dev/null || true
        wait "$xvfb_pid" 2>/dev/null || true
    fi
}
