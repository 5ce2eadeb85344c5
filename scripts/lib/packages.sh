# System packages: installs them where this user may, otherwise prints the exact line to type. Sourced after common.sh.
# shellcheck shell=bash

# offer_packages WHY PACKAGE…: installs the packages as root or through a sudo that asks nothing; else says how, exit code 1.
offer_packages() {
    local why=$1 elevate=() names=()
    shift
    if ! command -v apt-get >/dev/null; then
        fail "$why" "Install what your distribution calls these Debian packages, then start again:" "    $*"
    fi
    if (($(id -u) != 0)); then
        if ! sudo -n true 2>/dev/null; then
            mapfile -t names < <(names_here "$@")
            fail "$why" "Install them and start again:" "    sudo apt-get install -y ${names[*]}"
        fi
        elevate=(sudo -n)
    fi
    say "$why"
    elevate+=(env DEBIAN_FRONTEND=noninteractive)
    stage "[system] apt-get update" update_lists "${elevate[@]}"
    mapfile -t names < <(names_here "$@")
    stage "[system] apt-get install ${names[*]}" \
        "${elevate[@]}" apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${names[@]}"
}

# A foreign source that does not answer is no reason to stop: the packages wanted here are the distribution's own.
update_lists() {
    "$@" apt-get -o DPkg::Lock::Timeout=300 update || say "apt-get update failed; going on with the lists that are there"
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

is_package() { [[ -n $(apt-cache show --no-all-versions "$1" 2>/dev/null) ]]; }
