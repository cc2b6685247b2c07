/* A notification's life in the relay's store, with leases, its fallback, receipts, kills and a file that was put back:
 * docs/delivery-semantics.md and docs/store.md.
 *
 * Names in capitals are on the disk; a kill loses all else. Each rule that mended a fault can be taken out with
 * -DWITHOUT_...; `run` asserts that each one out gives a counterexample.
 */
#ifndef KILLS
#define KILLS 1
#endif
#define COUNT 2         /* notifications: an alert, with a collapse id, and a call, without; each with a fallback */
#define CALL(i) (i == 1)
#define ROOM 1          /* fallbacks that the process can hold */

mtype = { none, queued, sending, accepted, delivered, dead };
mtype = { idle, armed, claimed, calling, gone };
mtype = { starting, running, held };

mtype ENTRY[COUNT] = none;
mtype FALLBACK[COUNT] = idle;
bool STAMP = true;      /* PATH-lock has the file's own */
mtype COPY[COUNT] = none;       /* of a back-up */
mtype COPIED[COUNT] = idle;
bool hasCopy = false;

mtype process = running;
bool leased[COUNT] = false;
bool stream[COUNT] = false;     /* a connection has a stream for it */
bool answer[COUNT] = false;     /* the attempt is over */
bool holds[COUNT] = false;      /* the fallback takes room */
byte room = ROOM;

/* The true past. */
bool promised[COUNT] = false;   /* 202 */
bool mayBeOut[COUNT] = false;   /* there was a stream when it was marked */
byte written[COUNT] = 0;
byte called[COUNT] = 0;         /* fallback's bytes went out */
bool took[COUNT] = false;       /* by APNs */
bool receipt[COUNT] = false;
byte ends[COUNT] = 0;
bool again[COUNT] = false;      /* an operator chose `send` for a restored file */
bool restored = false;
byte kills = 0;
bool reachable = true;          /* APNs */

#ifdef WITHOUT_STREAM_FIRST
#define MAY_MARK(i) true
#else
#define MAY_MARK(i) stream[i]
#endif
#ifdef WITHOUT_MARK_FIRST
#define MAY_WRITE(i) true
#else
#define MAY_WRITE(i) (ENTRY[i] == sending)
#endif
#ifdef WITHOUT_BEGIN_FIRST
#define MAY_CALL(i) (FALLBACK[i] == calling || FALLBACK[i] == claimed)
#else
#define MAY_CALL(i) (FALLBACK[i] == calling)
#endif

inline finish(i, state) {
    ENTRY[i] = state; leased[i] = false; stream[i] = false; answer[i] = false;
    if
    :: state != queued -> ends[i]++;
       /* endsOnce */
       assert(ends[i] == 1 || restored)
    :: else
    fi
}

proctype Worker(byte i) {
end:
    do
#ifdef WITHOUT_DURABLE_ANSWER
    :: atomic { process == running && ENTRY[i] == none && !promised[i] -> promised[i] = true }
    :: atomic { process == running && ENTRY[i] == none && promised[i] -> ENTRY[i] = queued }
#else
    :: atomic { process == running && ENTRY[i] == none && !promised[i] -> ENTRY[i] = queued; promised[i] = true }
#endif
    /* take */
    :: atomic { process == running && ENTRY[i] == queued && !leased[i] -> leased[i] = true }
    :: atomic { process == running && leased[i] && !stream[i] && !answer[i] && reachable -> stream[i] = true }
    /* markSending */
    :: atomic { process == running && leased[i] && ENTRY[i] == queued && !answer[i] && MAY_MARK(i) -> ENTRY[i] = sending; mayBeOut[i] = stream[i] }
    /* The first byte, behind the mark */
    :: atomic { process == running && leased[i] && stream[i] && !answer[i] && written[i] < 3 && MAY_WRITE(i) ->
           written[i]++; mayBeOut[i] = true;
           /* ringsOnce: a call goes out once, unless an operator chose to send a restored file's. */
           assert(!CALL(i) || written[i] == 1 || again[i]);
           if :: took[i] = true :: true fi;
           stream[i] = false; answer[i] = true }
    :: atomic { process == running && leased[i] && answer[i] && ENTRY[i] == queued -> ENTRY[i] = sending }
    /* finish: Apple's answer, or none */
    :: atomic { process == running && answer[i] && ENTRY[i] == sending && took[i] ->
           if
           :: receipt[i] -> finish(i, delivered)
           :: else ->
              finish(i, accepted);
              if :: FALLBACK[i] == idle -> FALLBACK[i] = armed :: else fi
           fi }
    :: atomic { process == running && answer[i] && ENTRY[i] == sending && !CALL(i) && written[i] < 2 -> finish(i, queued) }
    :: atomic { process == running && answer[i] && ENTRY[i] == sending && (CALL(i) || written[i] >= 2) -> finish(i, dead) }
    /* A receipt for what APNs took, before its answer too */
    :: atomic { process == running && took[i] && !receipt[i] && ENTRY[i] != none ->
           receipt[i] = true;
           if
           :: ENTRY[i] == accepted -> ENTRY[i] = delivered
           :: (ENTRY[i] == sending || ENTRY[i] == queued) && written[i] > 0 -> finish(i, delivered)
           :: else
           fi;
           if
           :: FALLBACK[i] == armed || FALLBACK[i] == claimed ->
              FALLBACK[i] = gone;
              if :: holds[i] -> holds[i] = false; room++ :: else fi
           :: else
           fi }
    od
}

proctype Fallback(byte i) {
end:
    do
    /* claimFallbacks */
#ifdef WITHOUT_ROOM_FIRST
    :: atomic { process == running && FALLBACK[i] == armed ->
           if
           :: room > 0 -> FALLBACK[i] = claimed; holds[i] = true; room--
           :: else -> FALLBACK[i] = gone
           fi;
           /* noneLost: an armed fallback goes out, or a receipt calls it off. */
           assert(FALLBACK[i] == claimed) }
#else
    :: atomic { process == running && FALLBACK[i] == armed && room > 0 -> FALLBACK[i] = claimed; holds[i] = true; room-- }
#endif
    /* beginFallback */
    :: atomic { process == running && holds[i] && FALLBACK[i] == claimed && called[i] < 3 -> FALLBACK[i] = calling;
           /* calledOff: none begins behind a receipt. */
           assert(!receipt[i] || restored) }
    :: atomic { process == running && holds[i] && MAY_CALL(i) && called[i] < 3 -> called[i]++;
           /* calledOnce: perhaps sent, never again. */
           assert(called[i] == 1 || again[i]);
           holds[i] = false; room++;
           if :: FALLBACK[i] = gone :: true fi }
    /* finishFallbacks */
    :: atomic { process == running && FALLBACK[i] == calling && !holds[i] -> FALLBACK[i] = gone }
    od
}

/* Half-sent fallbacks of an ended process end as `fallback-uncertain`. */
inline recover(k) {
    /* nothingLost: what was acknowledged is there. */
    assert(!promised[k] || ENTRY[k] != none || restored);
    if
    :: ENTRY[k] == sending && CALL(k) ->
       /* outcomeUnknown: only a call of which a byte may be out. */
       assert(mayBeOut[k] || restored);
       finish(k, dead)
    :: ENTRY[k] == sending && !CALL(k) -> ENTRY[k] = queued
    :: else
    fi;
    if
    :: FALLBACK[k] == claimed -> FALLBACK[k] = armed
    :: FALLBACK[k] == calling -> FALLBACK[k] = gone
    :: else
    fi
}

/* An operator's word for a restored file. */
inline drop(k) {
    if :: ENTRY[k] == queued || ENTRY[k] == sending -> finish(k, dead) :: else fi;
    if :: FALLBACK[k] != idle -> FALLBACK[k] = gone :: else fi
}

inline forget(k) { leased[k] = false; stream[k] = false; answer[k] = false; holds[k] = false }

active proctype World() {
end:
    do
    :: atomic { reachable = !reachable }
    :: atomic { process == running && kills < KILLS -> kills++; process = starting; forget(0); forget(1); room = ROOM }
#ifdef WITHOUT_STAMP_CHECK
    :: atomic { process == starting -> recover(0); recover(1); process = running; STAMP = true }
#else
    :: atomic { process == starting && STAMP -> recover(0); recover(1); process = running }
    :: atomic { process == starting && !STAMP -> process = held }
    :: atomic { process == held -> drop(0); drop(1); STAMP = true; process = starting }
    :: atomic { process == held -> again[0] = true; again[1] = true; STAMP = true; process = starting }
#endif
    :: atomic { process == running && !hasCopy ->
           hasCopy = true; COPY[0] = ENTRY[0]; COPY[1] = ENTRY[1]; COPIED[0] = FALLBACK[0]; COPIED[1] = FALLBACK[1] }
    :: atomic { process == starting && hasCopy && !restored ->
           restored = true; STAMP = false;
           ENTRY[0] = COPY[0]; ENTRY[1] = COPY[1]; FALLBACK[0] = COPIED[0]; FALLBACK[1] = COPIED[1] }
    od
}

init { atomic { run Worker(0); run Worker(1); run Fallback(0); run Fallback(1) } }
