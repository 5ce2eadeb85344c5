# System packages: installs them where this user may, otherwise prints the exact line to type. Sourced after common.sh.
# shellcheck shell=bash

elevate=()          # what makes a command run as root: nothing for root, sudo for others
lists_are_fresh=no  # apt's lists are renewed once

# offer_packages WHY PACKAGE…: installs the packages where this user may; else says how, exit code 1.
offer_packages() {
    local why=$1 names=()
    shift
    if ! command -v apt-get >/dev/null; then
        fail "$why" "Install what your distribution calls these Debian packages, then start again:" "    $*"
    fi
    if ! may_install; then
        mapfile -t names < <(names_here "$@")
        fail "$why" "Install what is missing and start again:" "    sudo apt-get install -y ${names[*]}"
    fi
    say "$why"
    are_packages "$@" || refresh_lists
    mapfile -t names < <(names_here "$@")
    stage "[system] apt-get install ${names[*]}" install_packages "${names[@]}"
}

# With the lists of packages that are there; where these are too old for it, with new ones.
install_packages() {
    as_root apt-get install -y --no-install-recommends "$@" && return
    [[ $lists_are_fresh == no ]] || return 1
    lists_are_fresh=yes
    try_to_update
    as_root apt-get install -y --no-install-recommends "$@"
}

# Whether packages can be installed without asking anybody: as root, or through a sudo that wants no password.
may_install() {
    command -v apt-get >/dev/null || return 1
    if (($(id -u) != 0)); then
        sudo -n true 2>/dev/null || return 1
        elevate=(sudo -n)
    fi
}

refresh_lists() {
    [[ $lists_are_fresh == no ]] || return 0
    lists_are_fresh=yes
    stage "[system] apt-get update" try_to_update
}

# A foreign source that does not answer is not a reason to stop: the packages wanted here are the distribution's own.
try_to_update() { as_root apt-get update || say "apt-get update failed; going on with the lists that are there"; }

as_root() {
    local command=$1
    shift
    "${elevate[@]}" env DEBIAN_FRONTEND=noninteractive "$command" -o DPkg::Lock::Timeout=300 "$@"
}

# names_here PACKAGE…: what this release calls the packages; since 2024 some end in t64 (64-bit time).
names_here() {
    local name
    for name in "$@"; do
        if ! is_package "$name" && is_package "${name}t64"; then
            name=${name}t64
        fi
        printf '%s\n' "$name"
    done
}

# Whether apt knows all of them, under one of their names.
are_packages() {
    local name
    for name in "$@"; do
        is_package "$name" || is_package "${name}t64" || return 1
    done
}

is_package() { [[ -n $(apt-cache show --no-all-versions "$1" 2>/dev/null) ]]; }
