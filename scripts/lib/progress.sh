# What a stage is at, read from its log: which package is fetched or installed. Sourced after common.sh.
# shellcheck shell=bash disable=SC2154 # venv and setup_log are common.sh's

every=4 # seconds between lines where standard error is not a terminal

# tick TITLE PID START: says what the stage is at for as long as the script with that PID lives; START is where its part
# of the log begins. On a terminal one line changes every second, elsewhere a line comes every few seconds.
tick() {
    local title=$1 owner=$2 start=$3 started=$SECONDS pause=$every news line
    [[ ! -t 2 ]] || pause=1
    while sleep "$pause" </dev/null >/dev/null 2>&1 && kill -0 "$owner" 2>/dev/null; do
        news=$(news_of "$start")
        line="$((SECONDS - started)) s${news:+: $news}"
        if [[ -t 2 ]]; then
            printf '\r\033[K%s' "$(shortened "${title%% (*} … $line")" >&2
        else
            printf '    %s\n' "$line" >&2
        fi
    done
}

# A line that the terminal does not fold, or it could not be written over.
shortened() {
    local columns
    columns=$(stty size <&2 2>/dev/null | cut -d' ' -f2) || true
    ((${columns:-0} > 10)) || columns=80
    printf '%s' "${1:0:columns - 1}"
}

# news_of START: the last thing in the log from byte START on, in a few words; empty if there is none.
news_of() {
    local last stages='Collecting |Downloading |Processing |Using cached |Building wheel|Installing |Attempting '
    stages+='|Get:|Unpacking |Setting up '
    last=$(tail -c "+$(($1 + 1))" -- "$setup_log" 2>/dev/null | tr '\r' '\n' |
        grep -aE "^ *($stages)" |
        tail -n 1) || true
    last=${last#"${last%%[! ]*}"}
    case $last in
        'Installing collected packages: '*) installing "${last#*: }" ;;
        'Collecting '*) echo "looking for $(first_word "${last#Collecting }")" ;;
        'Downloading '*) echo "downloading $(wheel_of "${last#Downloading }")" ;;
        'Using cached '*) echo "unpacking $(wheel_of "${last#Using cached }")" ;;
        'Processing '*) echo "reading $(wheel_of "${last##*Processing }")" ;;
        'Attempting uninstall: '*) echo "replacing ${last#*: }" ;;
        'Get:'*) echo "downloading $(cut -d' ' -f5 <<<"$last")" ;;
        'Unpacking '* | 'Setting up '*) echo "${last%% (*}" ;;
        *) echo "${last% …}" ;;
    esac
}

# installing "A, B, …": pip says nothing while it installs these one after another; what it leaves behind of each is
# counted.
installing() {
    local names=() done packages
    IFS=', ' read -ra names <<<"$1"
    packages=$(compgen -G "$venv/lib/python3.*/site-packages" | head -n 1) || return 0
    done=$(find "$packages" -maxdepth 1 -name '*.dist-info' -newer "$venv/.stage" 2>/dev/null | wc -l)
    ((done < ${#names[@]})) || done=$((${#names[@]} - 1))
    echo "installing $((done + 1)) of ${#names[@]} packages, $((100 * done / ${#names[@]})) %: ${names[done]}"
}

first_word() { sed 's/[^A-Za-z0-9._-].*//' <<<"$1"; }

# wheel_of "FOLDER/NAME-VERSION-….whl (SIZE)": "NAME-VERSION (SIZE)".
wheel_of() { sed -E 's/^[^ ]*\///; s/^([^-]+-[^-]+)-[^ ]*\.whl/\1/; s/ \(from .*//' <<<"$1"; }
