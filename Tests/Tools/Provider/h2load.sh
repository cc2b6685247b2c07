# h2load beside which our programs are set: sourced by the scripts named `compare`, from the checkout's root. After it,
# $folder has the server's certificate.pem and key.pem, $port is the server's, and both end with the script.

for need in clang h2load openssl "$program"; do
    command -v "$need" >/dev/null || { echo "compare: there is no '$need'; see the head of this file" >&2; exit 1; }
done

folder=$(mktemp -d "${TMPDIR:-/tmp}/compare.XXXXXX")
server=
finish() {
    if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi
    rm -rf "$folder"
}
trap finish EXIT

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout "$folder/key.pem" -out "$folder/certificate.pem" 2>/dev/null
clang -O2 -o "$folder/server" Tests/Tools/Provider/answering_server.c -lnghttp2 -lssl -lcrypto -lpthread
mkfifo "$folder/port"
"$folder/server" 0 "$folder/certificate.pem" "$folder/key.pem" >"$folder/port" &
server=$!
read -r port <"$folder/port"

repeat() { printf "%0.s$1" $(seq "$2"); }
size=${SIZE:-1024}
connections=${CONNECTIONS:-1}
repeat x "$size" >"$folder/body"
# One after the other, and then from the first again.
openssl rand -hex 320000 | tr -d '\n' | fold -w 64 | sed "s|^|https://localhost:$port/3/device/|; \$a\\" >"$folder/targets"
# As long as ours: a device token of 32 bytes, a JWT of 183 characters.
peer=(
    h2load --clients="$connections" --max-concurrent-streams=1000 --threads=1 --data="$folder/body"
    --header="authorization: bearer $(repeat 7b9 61)"
    --header='apns-id: 123e4567-e89b-42d3-a456-426614174000' --header='apns-push-type: alert'
    --header='apns-topic: com.example.chat' --header='apns-priority: 10' --header='apns-expiration: 4102444800'
    --input-file="$folder/targets"
)

# h2load does not report its CPU; microseconds for each of $1 notifications from bash's.
peer_cpu() {
    local times
    TIMEFORMAT='%3U %3S'
    times=$({ time "${peer[@]}" --requests="$1" >"$folder/peer.log"; } 2>&1)
    grep -q " $1 2xx" "$folder/peer.log" || { cat "$folder/peer.log" >&2; exit 1; }
    awk -v n="$1" '{ print ($1 + $2) * 1e6 / n }' <<<"$times"
}

# Adds the ratio of $2 to $3 to those of $1, and prints it.
note_ratio() { awk -v a="$2" -v b="$3" 'BEGIN { printf "%.2f\n", a / b }' | tee -a "$folder/ratios.$1"; }

# Prints median, lowest and highest ratio of $1.
summary() {
    sort -n "$folder/ratios.$1" | awk -v name="$1" '{ r[NR] = $1 }
        END { printf "%s: median ratio %s, lowest %s, highest %s\n", name, r[int((NR + 1) / 2)], r[1], r[NR] }'
}
