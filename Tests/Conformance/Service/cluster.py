"""Several relays on one database: no acknowledged notification is lost, whatever dies.

A driver that knows only HTTP and the simulator: three relays, a primary with a synchronous standby, steady load with
idempotency keys, and faults by seed: relays killed or stopped (SIGSTOP) and revived, the primary killed and its standby
promoted, the network between relays and database silent, reset or slow, a storm of connections, a table locked until
statements time out, the standby gone, the primary's disk full, a rolling restart, a migration of the next version. The
relays' clocks are seconds apart. At the end every acknowledged notification has reached the simulator; one that
reached it twice is marked `maybe-duplicate`; in each collapse group the pushes came in the order of their requests, or a
stop explains why not.

    Tests/Conformance/Service/cluster [--tell] [--seconds N] [--stops N] [--failovers N] [--cuts N] [--others N] [--seed N]
    Tests/Conformance/Service/cluster --bench WORD …

--bench: what a relay and the database cost beside SQLite, by `sealedpush-bench service` with the other words (after
`make release bench`), and the log and tables that it leaves.
--tell: a demonstration: a phone, one killed relay, one killed primary, and each message on the screen once.
"""

import argparse
import collections
import copy
import http.client
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True

from black_box.database import Database, Server  # noqa: E402
from black_box.kept import Phone  # noqa: E402
from black_box.programs import CHECKOUT, PATIENCE, await_true, program, run, shifted_clock  # noqa: E402
from black_box.service import APP, Answer, Sender, Service, Simulator  # noqa: E402

RELAY_COUNT = 3
# Seconds by which the relays' clocks are ahead of the database's: beyond 10 a relay does not work, and behind it the
# server's certificate would not be valid yet.
CLOCKS = [0, 4, 8]
DEVICE_COUNT = 40
GROUP_COUNT = 12
OTHERS = ["restart_all", "storm", "lock", "lose_standby", "fill_disk", "upgrade"]
# Connections to APNs: of all relays by configuration; and at most, while relays come back to the database one after the
# other. The simulator takes one stream of each, so that relays want more.
SHARED_CONNECTIONS = 6
MOST_CONNECTIONS = 12
# Of sealedpushd.
LEASE_SECONDS = 6.5
# A stopped relay's leases must have ended.
STOP_SECONDS = 10
# After the last fault everything that waits goes out.
ARRIVAL_SECONDS = 60


def say(text):
    print(text, flush=True)


class Relay:
    """`sealedpushd`, restarted under the same configuration."""

    def __init__(self, number, base, url_file):
        self.number = number
        self.service = copy.copy(base)
        self.service.file = os.path.join(base.folder, f"relay-{number}.json")
        self.service.configuration = copy.deepcopy(base.configuration)
        del self.service.configuration["database-file"]
        self.service.configuration["database"] = {"url-file": url_file}
        self.service.configuration.setdefault("limits", {})["connections-to-apple"] = SHARED_CONNECTIONS
        if CLOCKS[number - 1]:
            self.service.variables = shifted_clock(CLOCKS[number - 1])
        self.port = None
        self.ends = []  # (from, to) of times in which it could not work

    def start(self):
        self.service.start()
        self.port = self.service.port

    def kill(self):
        self.port = None
        self.service.child.signal(signal.SIGKILL)
        self.service.child.process.wait()

    def stop(self):
        self.service.child.signal(signal.SIGSTOP)

    def revive(self):
        self.service.child.signal(signal.SIGCONT)


class Load:
    """Requests of one thread, each repeated under its key until it is acknowledged."""

    def __init__(self, cluster, number, seed):
        self.cluster, self.number = cluster, number
        self.random = random.Random(seed)
        self.acknowledged = []  # (id, group, begin, end)
        self.unanswered = 0
        self.latencies = []
        self.refusals = collections.Counter()
        self.ends = False
        self.count = 0
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        while not self.ends:
            # A group belongs to one thread: its requests follow each other.
            group = self.random.randrange(GROUP_COUNT) if self.random.random() < 0.3 else None
            self.send(group)
            time.sleep(self.cluster.pause)

    def send(self, group):
        """To a device of a group, whose messages replace each other, or to any (None)."""
        if group is None:
            self.send_to(f"d{self.random.randrange(DEVICE_COUNT)}", self.cluster.sealed)
        else:
            self.send_to(f"group-{self.number}-{group}", self.cluster.sealed, collapses=True)

    def send_to(self, device, sealed, collapses=False):
        body = {
            "topic": APP,
            "class": "normal",
            "idempotency-key": secrets.token_hex(12),
            "recipients": [{"device": device, "sealed": sealed}],
        }
        if collapses:
            body["collapse-id"] = "talk"
        begin = time.monotonic()
        while True:
            answer = self.post(body)
            if answer is not None and answer.status == 202:
                end = time.monotonic()
                self.latencies.append(end - begin)
                for accepted in answer.body["notifications"]:
                    self.acknowledged.append((accepted["id"], device if collapses else None, begin, end))
                return
            if answer is None:
                self.unanswered += 1
            elif answer.status in (429, 503):
                self.refusals[answer.status] += 1
            else:
                sys.exit(f"a request got {answer.status}: {answer.raw[:300]!r}")
            time.sleep(0.1)

    def post(self, body):
        """None: no answer; the request may have been accepted."""
        ports = [relay.port for relay in self.cluster.relays if relay.port]
        if not ports:
            return None
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.random.choice(ports), timeout=8)
            fields = {"content-type": "application/json", "authorization": f"Bearer {self.cluster.key}"}
            connection.request("POST", "/v1/notifications", json.dumps(body), fields)
            return Answer(connection.getresponse())
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()


class Cluster:
    def __init__(self, folder, pause):
        self.folder, self.pause = folder, pause
        self.database = Database()
        self.simulator = Simulator(folder, "--set", "streams=1")
        self.sender = Sender(folder)
        base = Service(folder, self.simulator)
        self.key = base.keys["acme"]
        url_file = os.path.join(folder, "database.url")
        with open(os.open(url_file, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(self.database.url + "\n")
        self.relays = [Relay(number, base, url_file) for number in range(1, RELAY_COUNT + 1)]
        self.relays[0].service.write_configuration()
        migrated = run(base.program, "migrate", "--config", self.relays[0].service.file)
        say(f"migrated: {migrated.strip()}")
        for relay in self.relays:
            relay.start()
        self.await_ready()
        self.sealed = self.sender.seal("See you at eight")
        self.stops = []  # (begin, end)
        self.takeovers = []
        self.faults = []
        self.connections = 0

    def count_connections(self):
        """Those that the simulator has accepted."""
        port = f":{self.simulator.ready['push-port']:04X}"
        rows = []
        for name in ("tcp", "tcp6"):
            with open(f"/proc/net/{name}") as file:
                rows += [line.split() for line in file]
        count = sum(row[1].endswith(port) and row[3] == "01" for row in rows)
        self.connections = max(self.connections, count)

    def readiness(self):
        return self.statuses("/v1/readiness")

    def statuses(self, path):
        """None for a relay that does not answer."""
        statuses = []
        for relay in self.relays:
            try:
                statuses.append(relay.service.call("GET", path, key=None).status)
            except OSError:
                statuses.append(None)
        return statuses

    def await_ready(self):
        await_true(lambda: self.readiness() == [200] * RELAY_COUNT, "the relays' readiness")

    def register(self, loads):
        names = [f"d{number}" for number in range(DEVICE_COUNT)]
        names += [f"group-{load.number}-{group}" for load in loads for group in range(GROUP_COUNT)]
        for index, name in enumerate(names):
            _, token = self.simulator.enrol()
            answer = self.relays[index % RELAY_COUNT].service.register(name, token, self.sender)
            if answer.status not in (200, 201, 204):
                sys.exit(f"a registration got {answer.status}: {answer.raw[:300]!r}")

    # MARK: Faults

    def stop_one(self, random, kills):
        relay = random.choice([relay for relay in self.relays if relay.port])
        begin = time.monotonic()
        watch = threading.Thread(target=lambda: self.takeovers.append(self.takeover(begin)))
        watch.start()
        if kills:
            relay.kill()
            time.sleep(random.uniform(0, 3))
            relay.start()
        else:
            relay.stop()
            time.sleep(random.uniform(0.2, STOP_SECONDS))
            relay.revive()
        self.stops.append((begin, time.monotonic()))
        watch.join()

    def takeover(self, begin):
        """Seconds from a relay's end until the last of its shards has another owner; 0 if it comes back in time."""
        statement = "SELECT sealedpush.lease_clock(), shard, epoch, until FROM sealedpush.shard WHERE owner IS NOT NULL"
        first, silent, start, clock, last = {}, {}, 0, 0, 0
        while time.monotonic() < begin + STOP_SECONDS + 2:
            for line in self.database.primary.ask(statement, Database.NAME).splitlines():
                clock, shard, epoch, until = map(int, line.split("|"))
                start = start or clock
                if shard not in first:
                    first[shard] = silent[shard] = (epoch, until)
                elif shard in silent and silent[shard] != (epoch, until):
                    # Renewed: its owner lives. Another epoch: another owner, since the lease's begin.
                    if epoch != first[shard][0]:
                        last = max(last, until - LEASE_SECONDS * 1000 - start)
                    del silent[shard]
            self.count_connections()
            time.sleep(0.25)
        if any(until < clock for _, until in silent.values()):
            last = clock - start
        return last / 1000

    def storm(self):
        """More sessions than the server takes."""
        self.hold([self.database.primary.hold("SELECT pg_sleep(5)", Database.NAME) for _ in range(50)])

    def lock(self):
        """A lock that outlasts the relays' statements."""
        statement = "BEGIN; LOCK TABLE sealedpush.waiting; SELECT pg_sleep(7)"
        self.hold([self.database.primary.hold(statement, Database.NAME)])

    def hold(self, sessions):
        begin = time.monotonic()
        for session in sessions:
            session.wait()
        self.stops.append((begin, time.monotonic()))

    def lose_standby(self):
        begin = time.monotonic()
        self.database.standby.kill()
        await_true(lambda: 200 not in self.readiness(), "relays that are not ready without a standby")
        self.database.standby.start()
        self.database.await_standby()
        self.stops.append((begin, time.monotonic()))

    def fill_disk(self):
        begin = time.monotonic()
        primary = self.database.primary
        if not primary.has_disk:
            say("no disk of its own: only root can mount one")
            return
        filler = primary.fill()
        time.sleep(5)
        os.unlink(filler)
        # The server ends where it cannot write its log.
        time.sleep(1)
        if not primary.is_running:
            primary.start()
        self.database.await_standby()
        self.stops.append((begin, time.monotonic()))

    def restart_all(self):
        begin = time.monotonic()
        for relay in self.relays:
            relay.port = None
            code = relay.service.child.stop()
            if code != 0:
                self.faults.append(f"a relay ended with {code}")
            relay.start()
        self.stops.append((begin, time.monotonic()))

    def upgrade(self):
        """A schema of the next version, under the relays of this one; and a restart."""
        self.database.primary.ask(
            "ALTER TABLE sealedpush.device ADD COLUMN later int8;"
            "INSERT INTO sealedpush.stamp (version) SELECT max(version) + 1 FROM sealedpush.stamp",
            Database.NAME,
        )
        self.restart_all()

    def fail_over(self):
        begin = time.monotonic()
        self.database.fail_over()
        self.stops.append((begin, time.monotonic()))

    def cut(self, random):
        """The network between relays and database fails."""
        begin = time.monotonic()
        proxies = [server.proxy for server in self.database.servers]
        mode = random.choice(["silent", "reset", "delay"])
        for proxy in proxies:
            if mode == "reset":
                proxy.reset()
            else:
                proxy.mode = mode
        if mode != "reset":
            # Longer than a supervisor's patience: a restart would not bring the database back.
            while time.monotonic() < begin + random.uniform(12, 16):
                if any(status not in (200, None) for status in self.statuses("/v1/health")):
                    self.faults.append(f"a relay asks to be restarted while the database is {mode}")
                    break
                time.sleep(0.5)
            for proxy in proxies:
                proxy.mode = "pass"
        self.stops.append((begin, time.monotonic()))
        return mode

    # MARK: What reached the simulator

    def accepted(self):
        return [dict(event["headers"])["apns-id"].lower() for event in self.simulator.child.events("accepted")]

    def state(self, id):
        for relay in self.relays:
            try:
                answer = relay.service.call("GET", f"/v1/notifications/{id}")
            except OSError:
                continue
            if answer.status == 200:
                return answer.body
            if answer.status == 404:
                return None
        return None

    def check(self, loads):
        """Faults, as sentences; prints the table's row."""
        sent = [item for load in loads for item in load.acknowledged]
        groups = collections.defaultdict(list)
        for id, group, begin, end in sent:
            if group:
                groups[group].append((id.lower(), begin, end))
        wanted = [id.lower() for id, group, _, _ in sent if group is None]
        until = time.monotonic() + ARRIVAL_SECONDS
        while (missing := set(wanted) - set(self.accepted())) and time.monotonic() < until:
            time.sleep(0.2)
        faults = list(self.faults)
        for id in sorted(missing):
            faults.append(f"lost: {id}, whose state is {self.state(id)}")
        counts = collections.Counter(self.accepted())
        doubled = [id for id, count in counts.items() if count > 1]
        known = {id.lower() for id, _, _, _ in sent}
        marked = 0
        for id in doubled:
            state = self.state(id)
            if state is None or not state.get("maybe-duplicate"):
                faults.append(f"doubled without a mark: {id}, {state}")
            else:
                marked += 1
        # A request that was cut off may be stored without an answer, and is sent then.
        strangers = [id for id in counts if id not in known]
        if strangers:
            faults.append(f"{len(strangers)} pushes that no answer named: {strangers[:3]}")
        excused = 0
        order = {id: index for index, id in reversed(list(enumerate(self.accepted())))}
        for group, items in groups.items():
            arrived = [(order[id], id, begin, end) for id, begin, end in items if id in order]
            if not arrived or arrived[-1][1] != items[-1][0]:
                last = self.state(items[-1][0])
                if last is None or last["state"] not in ("accepted", "delivered"):
                    faults.append(f"{group}: its newest did not arrive: {last}")
            for (place, id, begin, _), (next_place, next_id, _, end) in zip(arrived, arrived[1:]):
                if place < next_place:
                    continue
                if any(stop_begin < end + STOP_SECONDS and begin - STOP_SECONDS < stop_end for stop_begin, stop_end in self.stops):
                    excused += 1
                else:
                    faults.append(f"{group}: {next_id} overtook {id}")
        if self.connections > MOST_CONNECTIONS:
            faults.append(f"{self.connections} connections to APNs, where all relays may have {SHARED_CONNECTIONS}")
        latencies = sorted(latency for load in loads for latency in load.latencies)
        say(
            f"{len(sent)} acknowledged, {len(missing)} lost, {len(doubled)} doubled ({marked} marked), "
            f"{excused} older pushes of a group after a stop; accept p50 {latencies[len(latencies) // 2] * 1000:.1f} ms, "
            f"p99 {latencies[len(latencies) * 99 // 100] * 1000:.0f} ms; "
            f"{sum(load.unanswered for load in loads)} requests without an answer; "
            f"a lost relay's shards had an owner after {max(self.takeovers, default=0):.1f} s at most, "
            f"{sorted(self.takeovers)[len(self.takeovers) // 2] if self.takeovers else 0:.1f} s at the median of "
            f"{len(self.takeovers)}; {self.connections} connections to APNs at most"
        )
        return faults

    def end(self):
        codes = [relay.service.child.stop() for relay in self.relays]
        return [] if codes == [0] * RELAY_COUNT else [f"the relays ended with {codes}"]


def campaign(options):
    seed = options.seed if options.seed is not None else random.randrange(1 << 32)
    say(f"seed {seed}")
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="sealedpush-cluster-") as folder:
        cluster = Cluster(folder, options.pause)
        loads = [Load(cluster, number, seed + number) for number in range(options.threads)]
        cluster.register(loads)
        for load in loads:
            load.thread.start()
        plan = ["kill"] * (options.stops // 2) + ["stop"] * (options.stops - options.stops // 2)
        plan += ["failover"] * options.failovers + ["cut"] * options.cuts
        plan += [OTHERS[index % len(OTHERS)] for index in range(options.others)]
        chance.shuffle(plan)
        if "upgrade" in plan:
            # Once: a program works with a schema one version later.
            plan = [fault for fault in plan if fault != "upgrade"] + ["upgrade"]
        begin = time.monotonic()
        for index, fault in enumerate(plan):
            # Even steps in the time; a late one follows at once.
            due = begin + options.seconds * (index + 0.5) / len(plan)
            time.sleep(max(0, due - time.monotonic()))
            shown = fault
            if fault == "failover":
                cluster.fail_over()
            elif fault == "cut":
                shown = cluster.cut(chance)
            elif fault in OTHERS:
                getattr(cluster, fault)()
            else:
                cluster.stop_one(chance, kills=fault == "kill")
                shown = f"{fault}, {cluster.takeovers[-1]:.1f} s"
            if sys.stdout.isatty() or options.verbose:
                count = sum(len(load.acknowledged) for load in loads)
                say(f"{time.monotonic() - begin:6.1f} s  {shown}: {count} acknowledged")
        time.sleep(max(0, begin + options.seconds - time.monotonic()))
        for load in loads:
            load.ends = True
        for load in loads:
            load.thread.join(PATIENCE)
            if load.thread.is_alive():
                sys.exit("a request was not acknowledged after all faults were over")
        counts = collections.Counter(plan)
        say(f"{options.seconds} s: {', '.join(f'{counts[name]} {name}' for name in sorted(counts))}")
        faults = cluster.check(loads) + cluster.end()
    for fault in faults[:20]:
        say(f"FAULT {fault}")
    say(f"ok, seed {seed}" if not faults else f"{len(faults)} faults, seed {seed}")
    return 1 if faults else 0


def tell():
    with tempfile.TemporaryDirectory(prefix="sealedpush-cluster-") as folder:
        say("PostgreSQL with a synchronous standby, three relays, APNs (simulated) and a phone start …")
        cluster = Cluster(folder, 0)
        keys = cluster.sender.folder
        phone = Phone(os.path.join(folder, "phone"), cluster.simulator, os.path.join(keys, "sender.pub"))
        registration = json.loads(phone.text("registration"))
        cluster.relays[0].service.expect(201, "PUT", "/v1/devices/phone", registration)
        load = Load(cluster, 0, 1)

        def send(number):
            sealed = run(
                *[program("sealedpush"), "seal", "-", "--sealed-only", "--topic", APP],
                *["--sender-key", os.path.join(keys, "sender.key")],
                *["--bundle", phone.path("bundle"), "--identity", phone.path("identity")],
                input=json.dumps({"body": f"message {number}"}),
            ).strip()
            load.send_to("phone", sealed)

        for number in range(20):
            send(number)
        say("20 messages are accepted. One relay is killed (kill -9), and 20 more are sent …")
        cluster.relays[0].kill()
        for number in range(20, 40):
            send(number)
        say("The primary is killed, its standby promoted, and 20 more are sent …")
        failing = threading.Thread(target=cluster.fail_over)
        failing.start()
        for number in range(40, 60):
            send(number)
        failing.join()
        for number in range(60):
            phone.await_shown(f"message {number}")
        shown = [event.get("body") for event in phone.child.events("shown")]
        cluster.relays[0].start()
        faults = [f"message {n} is shown {shown.count(f'message {n}')} times" for n in range(60)
                  if shown.count(f"message {n}") != 1]
        faults += cluster.end()
        phone.child.stop()
    for fault in faults:
        say(f"FAULT {fault}")
    if not faults:
        say("Each of the 60 messages was shown once.")
    return 1 if faults else 0


def bench(words):
    Server.DISK_MEBIBYTES = 8192
    database = Database()
    with tempfile.TemporaryDirectory(prefix="sealedpush-cluster-") as folder:
        url_file = os.path.join(folder, "database.url")
        with open(os.open(url_file, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(database.url + "\n")
        begin = database.primary.ask("SELECT pg_current_wal_lsn()")
        command = [os.path.join(CHECKOUT, ".build/release/sealedpush-bench"), "service", "--database", url_file, *words]
        code = subprocess.run(command, cwd=CHECKOUT).returncode
        log = database.primary.ask(f"SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '{begin}')")
        say(f"log, with that of the registrations: {int(log) // 1000} kB")
        say(database.primary.ask(
            "SELECT relname || ': ' || pg_total_relation_size(oid) / 1000 || ' kB' FROM pg_class WHERE relkind = 'r' AND "
            "relnamespace = 'sealedpush'::regnamespace ORDER BY pg_total_relation_size(oid) DESC LIMIT 5",
            Database.NAME,
        ))
    return code


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--tell", action="store_true")
    parser.add_argument("--bench", nargs=argparse.REMAINDER)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--stops", type=int, default=6)
    parser.add_argument("--failovers", type=int, default=1)
    parser.add_argument("--cuts", type=int, default=2)
    parser.add_argument("--others", type=int, default=0)
    parser.add_argument("--threads", type=int, default=6)
    parser.add_argument("--pause", type=float, default=0.02)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    if options.bench is not None:
        return bench(options.bench)
    return tell() if options.tell else campaign(options)


if __name__ == "__main__":
    sys.exit(main())
