# The common part of scripts/joints and scripts/mutants: in a copy of this checkout the suites have to be green; then one
# thing after the other is broken there by a small change, and a test has to go red or stand still.
#
# A script that reads this in has set
#
#   kind       what is broken: joint, mutant; the copy is .build/KINDs
#   list       a file with lines  KIND NAME 'sentence' FILE 'text in it' 'text instead' 'beginning of a test'...
#   suites     the suites that the copy keeps, and in which the tests are
#   together   'yes': all changes are built at once, each behind a condition, and SEALEDPUSH_MUTANT names the one that counts.
#              Then the text in the file is an expression and the text instead another; or the text instead is all of it, with
#              MUTANT for the condition. 'no': each is built for itself, and may be any text.
#
# and hands on the script's arguments: --list, --check (are the texts and the tests still there?), or names. A run in which nothing happens for SEALEDPUSH_STILL_SECONDS stands
# still.
root=$PWD
copy=$root/.build/${kind}s
log=$root/.build/${kind}s.log

names=() sentences=() files=() olds=() news=() filters=()
add() {
    names+=("$1") sentences+=("$2") files+=("$3") olds+=("$4") news+=("$5")
    shift 5
    local IFS='|'
    filters+=("$*")
}
eval "$kind() { add \"\$@\"; }"
# shellcheck source=Tests/Tools/Joints/joints.sh
. "$list"

usage() {
    printf "%ss: %s; 'scripts/%ss [--list | --check | NAME…]' runs all %ss or those named, which --list prints\n" \
        "$kind" "$1" "$kind" "$kind" >&2
    exit 2
}

fail() {
    printf '%ss: %s\n' "$kind" "$1" >&2
    exit 1
}

index() {
    local i
    for i in "${!names[@]}"; do [ "${names[i]}" = "$1" ] && echo "$i" && return; done
    return 1
}

# Counts the second text in the first.
count() {
    local rest=${1//"$2"/}
    echo $(((${#1} - ${#rest}) / ${#2}))
}

# Checks all of them before any build: a changed text would test nothing.
check() {
    local i text test tests
    tests=$(for suite in "${suites[@]}"; do find Tests/*/"$suite" -name '*.swift' -exec cat {} +; done)
    for i in "${!names[@]}"; do
        [ -f "${files[i]}" ] || fail "${names[i]}: there is no ${files[i]}"
        text=$(<"${files[i]}")
        [ "$(count "$text" "${olds[i]}")" = 1 ] || fail "${names[i]}: not exactly once in ${files[i]}: ${olds[i]}"
        while IFS= read -r test; do
            [ "$(count "$tests" "func \`$test")" = 1 ] || fail "${names[i]}: not exactly one test begins with: $test"
        done <<<"${filters[i]//|/$'\n'}"
    done
}

chosen=("${!names[@]}")
if [ "${1-}" = --list ]; then
    [ $# = 1 ] || usage '--list stands alone'
    for i in "${chosen[@]}"; do printf '%2d  %-18s  %s\n' $((i + 1)) "${names[i]}" "${files[i]}"; done
    exit
elif [ "${1-}" = --check ]; then
    [ $# = 1 ] || usage '--check stands alone'
    check
    exit
elif [ $# != 0 ]; then
    chosen=()
    for name; do
        i=$(index "$name") || usage "there is no $kind '$name'"
        chosen+=("$i")
    done
fi

# In a session of its own, which is ended as a whole: SwiftPM gives each process that it starts a group of its own, and
# a test that is ended leaves its processes behind.
session=
run() {
    local status=0
    setsid "$@" >"$log" 2>&1 </dev/null &
    session=$!
    wait "$session" || status=$?
    end
    return "$status"
}
end() {
    local attempt
    [ -n "$session" ] || return 0
    for attempt in 1 2 3; do
        pkill -KILL -s "$session" || break
        sleep 0.1
    done
    # Without it bash reports the killed job.
    wait "$session" 2>/dev/null || true
    session=
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Leaves equal files as they are: with another time they would be built again.
copy_checkout() {
    local file list=$root/.build/${kind}s.files
    mkdir -p "$copy"
    git ls-files -z --cached --others --exclude-standard | sort -z >"$list"
    while IFS= read -r -d '' file; do
        [ -L "$file" ] || ! cmp -s "$file" "$copy/$file" || continue
        [ -L "$file" ] || [ -f "$file" ] || { rm -f "$copy/$file" && continue; }
        mkdir -p "$copy/$(dirname "$file")"
        cp -Pp --remove-destination "$file" "$copy/$file"
    done <"$list"
    (cd "$copy" && find . -path ./.build -prune -o ! -type d -printf '%P\0' | sort -z |
        comm -z -13 "$list" - | xargs -0r rm -f)
    # The other suites would be built with it, which takes ten times as long.
    printf 'package.targets.removeAll { $0.type == .test && !["%s"].contains($0.name) }\n' \
        "$(printf '%s\n' "${suites[@]}" | paste -sd '|' | sed 's/|/", "/g')" >>"$copy/Package.swift"
}

# Replaces one text in its file.
put() {
    local i=$1 new=$2 text
    IFS= read -r -d '' text <"${files[i]}" || true
    [ "$(count "$text" "${olds[i]}")" = 1 ] || fail "${names[i]}: another change has its text"
    printf '%s' "${text/"${olds[i]}"/"$new"}" >"${files[i]}"
}

# All changes, each behind its condition.
put_together() {
    local i condition module
    for i in "${!names[@]}"; do
        condition="isMutant(\"${names[i]}\")"
        case ${news[i]} in
            *MUTANT*) put "$i" "${news[i]//MUTANT/"$condition"}" ;;
            *) put "$i" "($condition ? (${news[i]}) : (${olds[i]}))" ;;
        esac
        module=${files[i]#Sources/}
        cat >"Sources/${module%%/*}/IsMutant.swift" <<'END'
import Platform

private let chosen = unsafe getenv("SEALEDPUSH_MUTANT").map { unsafe String(cString: $0) }

func isMutant(_ name: String) -> Bool { chosen == name }
END
    done
}

build() {
    # The tests alone: none of these suites starts a process.
    if [ "$together" = yes ]; then run scripts/swift build --product sealed-pushPackageTests; return; fi
    run scripts/swift build --build-tests
}

suite() {
    run timeout --kill-after=10 1800 scripts/watched scripts/swift test --skip-build --disable-xctest --quiet --filter "$1"
}

# Failed and unfinished tests, as scripts/watched names them.
noticed_by() {
    sed -n 's/^    [A-Za-z]*Tests\.[A-Za-z]*\\*\/`\(.*\)`([a-zA-Z_:]*)\\*\/.*$/\1/p' "$log" | sort -u | paste -sd ';' | sed 's/;/; /g'
}

# Breaks one rule. Prints the tests that noticed; 1: none; 2: the change breaks nothing.
try() {
    local i=$1 status=0 noticed
    if [ "$together" = yes ]; then
        export SEALEDPUSH_MUTANT=${names[i]}
    else
        put "$i" "${news[i]}"
        build || { grep -m 1 '^/.*error:' "$log" || tail -n 5 "$log"; status=2; } >&2
    fi
    [ "$status" != 0 ] || ! suite "${filters[i]}" || status=1
    [ "$together" = yes ] || cp -p "$root/${files[i]}" "${files[i]}"
    case $status in
        1) echo 'nothing has noticed' ;;
        2) echo 'the break does not compile' ;;
        *)
            noticed=$(noticed_by)
            [ -n "$noticed" ] || { tail -n 20 "$log" >&2; echo 'no test ran'; return 2; }
            if grep -q '^watched: nothing has happened' "$log"; then noticed+=' (stood still)'; fi
            printf 'noticed by: %s\n' "$noticed"
            ;;
    esac
    return "$status"
}

check
copy_checkout
cd "$copy"
[ "$together" = no ] || put_together
SECONDS=0
echo 'unbroken: building'
build || { tail -n 40 "$log" >&2; fail 'the copy does not build'; }
everything=$(printf '^%s\\.\n' "${suites[@]}" | paste -sd '|')
suite "$everything" || { tail -n 40 "$log" >&2; fail "${suites[*]} not green unbroken"; }
printf 'unbroken: green after %d s\n' "$SECONDS"

green=() wrong=() number=0
for i in "${chosen[@]}"; do
    SECONDS=0 status=0
    printf '%s %d of %d: %s (%s): ' "$kind" $((number += 1)) ${#chosen[@]} "${names[i]}" "${sentences[i]}"
    try "$i" || status=$?
    case $status in
        1) green+=("${names[i]}") ;;
        2) wrong+=("${names[i]}") ;;
    esac
done
[ ${#wrong[@]} = 0 ] || printf '%ss: breaks that are none: %s\n' "$kind" "${wrong[*]}" >&2
[ ${#green[@]} = 0 ] || printf '%ss: broken, and the tests stayed green: %s\n' "$kind" "${green[*]}" >&2
[ ${#wrong[@]} = 0 ] && [ ${#green[@]} = 0 ] || exit 1
printf '%ss: all %d noticed\n' "$kind" ${#chosen[@]}
