/* Keys, clock, replay window, app and extension of one device: docs/protocol.md, sections 9, 10, 14 and 15.
 *
 * Invariants have the names of section 20's tests (Tests/Unit/PromiseModelTests/Invariant.swift). Each rule that mended
 * a fault can be taken out with -DWITHOUT_...; `run` asserts that each one out gives a counterexample. A part leaves out
 * events of the other, by these rules:
 *
 * -DWINDOW  WITHOUT_UPTIME_CLAIMS WITHOUT_LOCKED_READ WITHOUT_FLOOR WITHOUT_GENERATION WITHOUT_SILENT_BOUND
 * -DKEYS    WITHOUT_BOUNDED_WAIT WITHOUT_CONFIRMED_DATES WITHOUT_CONFIRMED_DESTRUCTION WITHOUT_SILENT_BOUND
 *
 * There is one honest message, which the relay delivers as often and as late as it likes, sealed to the older of two
 * prekeys. A tick of true time is for claims more than 35 seconds, for keys 7 days.
 */
#ifndef END
#define END 5
#endif
#ifndef SETS
#define SETS 1          /* the clock is set so often */
#endif
#define NEVER 9
#define WAIT 1          /* of a bundle's age; of an unacknowledged supersession */
#ifdef KEYS
#define LIFE 1          /* L */
#else
#define LIFE 2
#endif

#define ABSENT 0        /* the message's entry in the window */
#define CLAIMED 1
#define DONE 2

#define IDLE 0          /* steps of an opener */
#define READ 1
#define SHOWING 2
#define SHOWN 3

byte now = 1;           /* true time */
short ahead = 0;        /* the clock less the true time */
byte uptime = 1;        /* K */
byte bound = 0;         /* LB */
bool sure = false;      /* confirmed since the start: LB is the time */

byte sent = NEVER;
byte expires = NEVER;
bool kept = false;      /* the spool has its envelope */

byte entry = ABSENT;
short claimedAt = 0;    /* by K */
byte floor = 0;
bool stale = false;     /* the window's generation is below the keys' copy */
bool hasCopy = false, launchedSince = false;    /* of a back-up of the window */
byte copyEntry = ABSENT, copyFloor = 0;

bool key = true;        /* the older prekey is there */
bool superseded = false, acked = false;
byte supersededAt = NEVER, ackedAt = NEVER;     /* as the device wrote them */
byte trulySuperseded = NEVER, trulyAcked = NEVER;

byte step[2] = IDLE;
short readUptime[2] = 0;
bool old[2] = false;    /* a tick since its claim: iOS ends an extension after 30 seconds */
byte last = NEVER;      /* true time of the last claim */
byte claimer = NEVER;   /* the opener that has it; NEVER behind a start */
bool ended = false;     /* it was ended before it wrote that it showed the message */

byte sets = 0, starts = 0, kills = 0;
bool hostile = false;

#define CLOCK (now + ahead)
#ifdef WITHOUT_UPTIME_CLAIMS
#define K CLOCK
#else
#define K uptime
#endif

#define LEAST(a, b) ((a) < (b) -> (a) : (b))
/* The end of an honest sender's use of the older prekey, by the true dates. */
#define LAST_SEALING (LEAST(trulyAcked, trulySuperseded + WAIT) + WAIT)
#define TRUSTED (sure || CLOCK >= bound)
#define BELIEVED (sure -> bound : CLOCK)
#define ALIVE (sent <= now && now < expires)
#define EXPIRED ((TRUSTED && BELIEVED >= expires) || bound >= expires)
#define EARLY (TRUSTED && !sure && sent > CLOCK)

inline endOpener(i) {
    if :: (step[i] == SHOWING || step[i] == SHOWN) && claimer == i -> ended = true :: else fi;
    step[i] = IDLE; old[i] = false; readUptime[i] = 0
}

/* One message in one process: judged, claimed under the window's lock, shown, written down as shown. */
proctype Opener(byte i) {
end:
    do
    :: atomic { step[i] == IDLE && sent != NEVER && key && !(stale && !launchedSince) && now < END ->
#ifdef WITHOUT_LOCKED_READ
           readUptime[i] = K;
#endif
           step[i] = READ }
    :: atomic { step[i] == READ ->
#ifndef WITHOUT_LOCKED_READ
           readUptime[i] = K;
#endif
           if
           :: !key -> step[i] = IDLE
           :: key && (EXPIRED || EARLY) ->
              /* openedWhenPossible: by a right clock or a confirmed time an honest message opens in its life. */
              assert(!(ALIVE && (sure || ahead == 0) && entry == ABSENT));
              if :: bound < expires -> kept = true :: else fi;
              step[i] = IDLE
           :: key && !(EXPIRED || EARLY) ->
              if
              :: entry == DONE || (entry == CLAIMED && readUptime[i] >= claimedAt && readUptime[i] - claimedAt <= 1) ->
                 step[i] = IDLE
              :: entry == ABSENT && expires <= floor -> step[i] = IDLE
              :: else ->
                 /* shownOnce: again only if the process that had it was ended, long enough ago or before a start. */
                 assert(last == NEVER || (ended && (now - last > 1 || claimer == NEVER)));
                 entry = CLAIMED; claimedAt = readUptime[i]; last = now; claimer = i; ended = false;
                 old[i] = false; step[i] = SHOWING
              fi
           fi; readUptime[i] = 0 }
    :: atomic { step[i] == SHOWING -> step[i] = SHOWN }
    :: atomic { step[i] == SHOWN ->
           if :: claimer == i && entry == CLAIMED -> entry = DONE :: else fi;
           kept = false; step[i] = IDLE; old[i] = false }
    :: atomic { step[i] != IDLE && kills < 1 -> kills++; endOpener(i) }
    od
}

/* The app's launch: the window is compared, dates are corrected, keys are destroyed. */
inline launch() {
    launchedSince = hasCopy;
    if
#ifndef WITHOUT_GENERATION
    :: stale -> key = false; kept = false; stale = false
    :: !stale ->
#else
    :: true -> stale = false;
#endif
       if
       :: sure && superseded && supersededAt == NEVER -> supersededAt = now
       :: else
       fi;
       if
       :: sure && acked && ackedAt == NEVER -> ackedAt = now
       :: else
       fi;
       if
       :: key && superseded &&
#ifdef WITHOUT_BOUNDED_WAIT
          ackedAt < NEVER && bound >= ackedAt + WAIT + LIFE
#else
#ifdef WITHOUT_CONFIRMED_DESTRUCTION
          supersededAt < NEVER && CLOCK >= LEAST(ackedAt, supersededAt + WAIT) + WAIT + LIFE
#else
          LEAST(ackedAt, supersededAt + WAIT) < NEVER && bound >= LEAST(ackedAt, supersededAt + WAIT) + WAIT + LIFE
#endif
#endif
          ->
          /* noKeyEarly, unconfirmedClockDeletesNothing: no honest message to it can live. */
          assert(now >= LAST_SEALING + LIFE);
          key = false
       :: else
       fi;
       /* noKeyLate: a run with confirmed time leaves no prekey that is past its end. */
       assert(!(sure && key && supersededAt < NEVER && now >= supersededAt + WAIT + WAIT + LIFE));
       if :: kept && bound >= expires -> kept = false :: else fi
    fi
}

#ifdef WITHOUT_CONFIRMED_DATES
#define STAMP (CLOCK > 0 -> CLOCK : 0)
#define STAMPED true
#else
#define STAMP now
#define STAMPED sure
#endif

active proctype World() {
end:
    do
    :: atomic { now < END ->
           now++; uptime++;
           if :: sure -> bound = now :: else fi;
           if :: step[0] >= SHOWING && old[0] -> endOpener(0) :: step[0] >= SHOWING && !old[0] -> old[0] = true :: else fi;
           if :: step[1] >= SHOWING && old[1] -> endOpener(1) :: step[1] >= SHOWING && !old[1] -> old[1] = true :: else fi;
           /* boundNeverLeads */
           assert(bound <= now || hostile) }
    :: atomic { sets < SETS && ahead == 0 -> sets++; if :: ahead = 3 :: ahead = -3 fi }
    /* The clock is right again. */
    :: atomic { ahead != 0 -> ahead = 0 }
    /* A source over TLS that is not the relay. */
    :: atomic { !sure -> sure = true; bound = now }
    /* A start of the device ends every process, and K begins anew. */
    :: atomic { starts < 1 ->
           starts++; sure = false; endOpener(0); endOpener(1); uptime = 0;
           if :: ended -> claimer = NEVER :: else fi }
    :: atomic { launch() }
#ifdef WITHOUT_SILENT_BOUND
    /* A contact's message whose times are ahead moves the bound. */
    :: atomic { !hostile && !sure -> hostile = true; bound = now + 3 }
#endif
    :: atomic { sent == NEVER && now + LIFE < END && now < LAST_SEALING -> sent = now; expires = now + LIFE }
#ifdef KEYS
    :: atomic { !superseded -> superseded = true; trulySuperseded = now; if :: STAMPED -> supersededAt = STAMP :: else fi }
    :: atomic { superseded && !acked -> acked = true; trulyAcked = now; if :: STAMPED -> ackedAt = STAMP :: else fi }
#endif
#ifdef WINDOW
    /* Further messages of its sender push the entry out of the sender's share. */
    :: atomic { entry == DONE ->
           entry = ABSENT;
#ifndef WITHOUT_FLOOR
           floor = expires
#endif
         }
    /* The window alone comes back from a back-up, behind a later launch. */
    :: atomic { !hasCopy -> hasCopy = true; copyEntry = entry; copyFloor = floor; launchedSince = false }
    :: atomic { hasCopy && launchedSince && !stale && step[0] == IDLE && step[1] == IDLE ->
           stale = true; launchedSince = false; entry = copyEntry; floor = copyFloor }
#endif
    od
}

init {
    atomic {
        run Opener(0);
#ifdef WINDOW
        run Opener(1)
#endif
    }
}
