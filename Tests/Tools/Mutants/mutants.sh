# The rules of docs/protocol.md, sections 9, 10, 13 to 16, and some of relay and simulator, that scripts/mutants breaks.
#
#   mutant NAME 'section: what is broken' FILE 'text in it' 'text instead' 'beginning of a test'...
#
# The text is in the file exactly once. It is an expression, which another replaces; or the text instead has MUTANT in
# it, which is true where the rule is broken.

rule='each rule keeps its promise'
app='an app that is ended at any step on disk'
opening='an extension that is ended at any step on disk before it answers'
W=Sources/Opening/Replay K=Sources/Opening/Keys A=Sources/NotificationCore

# Section 9: time.

mutant clock-counts '9: the clock counts although time is confirmed' \
    Sources/Opening/Message/MessageOpener+Window.swift \
    'time.isConfirmed ? time.lowerBound : now, lowerBound' \
    'MUTANT || !time.isConfirmed ? now : time.lowerBound, lowerBound' "$rule"

mutant bound-stands '9: confirmed time does not go on by the uptime' \
    $W/WindowTime.swift 'uptime.milliseconds > confirmedUptime' 'false' "$rule"

mutant bound-restart '9: after a restart the lower bound is taken for the time' \
    $W/WindowTime.swift 'confirmed > 0 && confirmedSession == session' 'confirmed > 0' "$rule"

mutant bound-message '9: a message moves the lower bound' \
    $W/ReplayWindow.swift '{ core throws(ReplayWindowError) in try core.claim(stamp) }' \
    '{ core throws(ReplayWindowError) in
            let sentAt = stamp.sentAt.milliseconds
            if MUTANT, sentAt > core.header.time.bound {
                core.header.time.confirm(sentAt, at: uptime())
            }
            return try core.claim(stamp)
        }' "$rule"

mutant confirmation-latest '9: the later of two confirmations counts' \
    $W/WindowTime.swift 'bound = confirmed
' 'bound = MUTANT ? max(bound, confirmed) : confirmed
        if MUTANT { confirmed = bound }
' "$rule"

mutant confirmation-unwritten '9: a confirmation after a restart is not written down where its times are those of the last' \
    $W/WindowTime.swift 'confirmedSession != old.confirmedSession' 'false' "$rule"

mutant confirmation-late '9: an answer counts however long it took' \
    $A/AppDevice/AppDevice+Time.swift 'uptime.milliseconds - askedAt.milliseconds < 30_000' 'true' "$rule"

mutant confirmation-restart '9: an answer counts that was asked for before a restart' \
    $A/AppDevice/AppDevice+Time.swift 'uptime.boot == askedAt.boot' 'true' "$rule"

mutant expired-lost '9: what only the clock takes for expired is not kept' \
    Sources/Opening/Message/MessageOpener+Window.swift 'frame.expiryTime > time.lowerBound' 'false' "$rule"

mutant spooled-lost '9: a clock that nobody confirmed empties the spool' \
    $A/SharedContainer+Spool.swift '!= .message, opened.kept == nil else' \
    '!= .message, MUTANT || opened.kept == nil else' "$rule"

# Section 10: the replay window.

mutant claim-short '10: a claim lives for 20 seconds' \
    $W/ReplayRecord.swift 'tick - claimedAt <= Self.claimTicks' 'tick - claimedAt <= 20' "$rule"

mutant claim-long '10: a claim lives for 70 seconds' \
    $W/ReplayRecord.swift 'claimedAt <= tick &&' 'MUTANT && claimedAt <= tick && tick - claimedAt <= 70 || claimedAt <= tick &&' \
    "$rule"

mutant claim-restart '10: a claim outlives a restart' \
    $W/WindowTime.swift 'Int64(tick + ReplayRecord.claimTicks + 1)' 'Int64(tick)' "$rule"

mutant claim-done '10: what was shown is not done' \
    $W/WindowCore+Claim.swift 'record.state = .done' 'record.state = MUTANT ? .claimed : .done' "$rule"

mutant floor-age '10: what leaves for age raises no floor' \
    $W/WindowCore+Claim.swift 'try raiseFloor(of: slot, to: expiresAt)' \
    'if !MUTANT { try raiseFloor(of: slot, to: expiresAt) }' 'what has left for age stays out'

mutant floor-room '10: what leaves for room raises no floor' \
    $W/WindowCore+Sweep.swift 'row.evict(upTo: row.nextFloor, evictedCount: row.nextCount)' \
    'if !MUTANT { row.evict(upTo: row.nextFloor, evictedCount: row.nextCount) }' "a flood evicts its own sender's ids"

mutant journal '10: writes of one operation are not in a journal first' \
    $W/WindowCore.swift 'try file.write(transaction.journal, at: WindowLayout.journalWord * 8)' \
    'if !MUTANT { try file.write(transaction.journal, at: WindowLayout.journalWord * 8) }' "$opening"

mutant journal-unfinished '10: what a process began is not finished' \
    $W/WindowCore.swift 'let unfinished = WindowTransaction(firstPage: firstPage)' \
    'let unfinished = MUTANT ? nil : WindowTransaction(firstPage: firstPage)' "$opening"

# Sections 13 and 15: stored data.

mutant locked-lost '13: what is locked is not kept' \
    $A/SharedContainer+Keeping.swift 'kind.keeping == .message' 'false' "$rule"

mutant marker-lost '13: a missing key leaves no marker' \
    $A/SharedContainer+Keeping.swift 'kind.keeping == .marker' 'false' "$rule"

mutant replay-dropped '15: what a process claimed that was ended is dropped' \
    $A/SharedContainer+Spool.swift 'case .replay: return .keep' 'case .replay: return MUTANT ? .done : .keep' "$rule"

mutant removed-first '15: an envelope is removed before its message is shown' \
    $A/Common/Spool.swift 'if handle(message) == .done { try file.remove([item]) }' \
    'if MUTANT { try file.remove([item]) }
            if handle(message) == .done { try file.remove([item]) }' "$app"

# Section 14: rotation and destruction.

mutant stamp-clock '14: a bundle is stamped with the clock' \
    $K/RingClock.swift 'known.lastConfirmed == nil ? max(now, known.lowerBound) : known.lowerBound' \
    'max(now, known.lowerBound)' "$rule"

mutant ahead-kept '14: a bundle of the future is not replaced' \
    $K/RingIndex.swift 'epoch > limit.milliseconds || current.contains { $0.notBefore > limit }' 'false' "$rule"

mutant epochs-ahead '14: epochs of the future go on' \
    $K/RingIndex.swift 'restartEpochs(at: clock.stamp)' 'if !MUTANT { restartEpochs(at: clock.stamp) }' "$rule"

mutant room-newest '14: the newest superseded prekey makes room' \
    $K/RingIndex.swift 'let oldest = prekeys.first(where: { $0.supersession != nil })' \
    'let oldest = MUTANT ? prekeys.last(where: { $0.supersession != nil }) : prekeys.first(where: { $0.supersession != nil })' \
    "$rule"

mutant room-none '14: nothing makes room' \
    $K/RingWriter.swift 'index.makeRoom(for: policy.classes.count)' '[]' \
    'a device whose token changes 64 times in a month has room for a prekey'

mutant room-clock '14: a clock that nobody confirmed makes room' \
    $K/AppKeyRing.swift 'clock.confirmed != nil || index.hasRoom(for: policy.classes.count)' 'true' "$rule"

mutant end-after-not-after '14: the end lacks the longest life after not-after' \
    $K/RotationPolicy.swift 'prekey.notAfter.advanced(by: messageLifetimeMax)' 'prekey.notAfter' "$rule"

mutant end-not-after '14: not-after ends nothing' \
    $K/RotationPolicy.swift 'min(
            longest,' 'min(
            MUTANT ? Timestamp(milliseconds: Timestamp.millisecondsMax) : longest,' "$rule"

mutant end-acknowledged '14: an acknowledgement brings no end nearer' \
    $K/RotationPolicy.swift 'supersession.acknowledgedAt.map { min($0, latest) } ?? latest' 'latest' "$rule"

mutant end-withheld '14: without an acknowledgement there is no end' \
    $K/RotationPolicy.swift 'let latest = at' 'let latest = MUTANT ? longest : at' "$rule"

mutant end-upload '14: no week for the upload' \
    $K/RotationPolicy.swift 'Self.publicationMax' '.zero' "$rule"

mutant end-cache "14: no week for a sender's copy" \
    $K/RotationPolicy.swift 'Self.senderCacheMax' '.zero' "$rule"

mutant end-life '14: no longest life' \
    $K/RotationPolicy.swift ' + messageLifetimeMax' ' + (MUTANT ? .zero : messageLifetimeMax)' "$rule"

mutant end-skew '14: clocks may not differ' \
    $K/RotationPolicy.swift 'KeyBundle.clockSkewMax' '.zero' "$rule"

mutant destroyed-by-clock '14: the clock destroys' \
    $K/RingIndex.swift 'policy.end(of: $0) < clock.certain' 'policy.end(of: $0) < max(clock.certain, clock.now)' "$rule"

mutant superseded-by-clock '14: a supersession counts by a clock that nobody confirmed' \
    $K/RingIndex.swift 'at: clock.confirmed)' 'at: MUTANT ? clock.now : clock.confirmed)' "$rule"

mutant epochs-from-nothing '3: epochs restart below one that a sender has pinned' \
    $K/RingIndex.swift 'prekeys.map(\.notBefore.milliseconds)' '[UInt64]()' "$rule"

mutant epochs-forgotten '14: the epochs of a prekey that goes for want of room are forgotten' \
    $K/RingIndex.swift 'for prekey in destroyed { keepEpochs(of: prekey) }' \
    'if !MUTANT { for prekey in destroyed { keepEpochs(of: prekey) } }' "$rule"

mutant epochs-jump '14: the latest epoch that goes takes the place of all before it' \
    $K/RingIndex.swift 'epoch <= last.advanced(by: KeyBundle.clockSkewMax).milliseconds' 'true' "$rule"

mutant locked-key-lost '14: a key that cannot be read now counts as lost' \
    $K/RingWriter.swift 'case .locked: return false' 'case .locked: return MUTANT' "$rule"

mutant no-sweep '14: what a process left that was ended stays' \
    $K/RingWriter.swift 'try shared.delete(name)
            }
            try shared.removeRemains()
            try identityStore.removeRemains()' 'if !MUTANT { try shared.delete(name) }
            }
            try shared.removeRemains()
            try identityStore.removeRemains()' "$app"

mutant index-first '14: the index is on disk before the keys that it names' \
    $K/RingWriter.swift 'try write(prekey, identity: index.identity)
            new' 'if MUTANT {
                var early = index
                early.rotate(to: [prekey.publicPrekey], at: clock, signedBy: identityKey)
                try commit(early)
            }
            try write(prekey, identity: index.identity)
            new' 'a process that ends at any operation loses no key'

mutant torn-file '14: a file is written in its place' \
    Sources/Keys/Files/WholeFile.swift 'for: path, access: access, at: reserved)' \
    'for: path, access: access, at: MUTANT ? path : reserved)' "$app"

# Section 16: the sender.

mutant epoch-ahead '16: a sender takes an epoch of the future' \
    Sources/Keys/SignedKeyBundle.swift 'bundle.epoch <= latest.milliseconds' 'true' 'an epoch of the future is refused'

# The relay, whose rules are in docs/service.md.

mutant hold-lifted 'relay: a push to a token that APNs took before lifts the hold of those that it never took' \
    Sources/PushService/Credentials/SuspensionTable.swift 'let back = scopes(target).filter' \
    'var target = target
        if MUTANT { target.isReached = false }
        let back = scopes(target).filter' 'a push to a reached token lifts no hold of unreached ones'

# The store, whose rules are in docs/store.md.

mutant owner-epoch 'store: a late owner acts on a shard of another' \
    Sources/PushStore/Store/ShardTable.swift 'row.epoch == lease.epoch' 'true' \
    'no two relays act on a shard, nothing is lost' 'an outcome of a late owner changes nothing'

mutant owner-outcome 'store: an outcome needs no lease' \
    Sources/PushStore/Store/StoreWriter+Sending.swift 'shards.permits(outcome.lease.shardLease)' 'true' \
    'no two relays act on a shard, nothing is lost' 'an outcome of a late owner changes nothing'

mutant owner-alive 'store: a shard is taken over before its lease has ended' \
    Sources/PushStore/Store/ShardTable.swift 'row.until <= now' 'true' \
    'a shard is taken over when its lease has ended'

mutant owner-recovery 'store: a takeover settles what is in flight in a shard that is owned' \
    Sources/PushStore/Store/StoreWriter+Sending.swift 'shards.contains(entry: id)' 'true' \
    'a takeover settles what was in flight in its shards' 'no two relays act on a shard, nothing is lost'

mutant owner-sends 'store: what a late owner would send at once is stored as sent' \
    Sources/PushStore/Store/ShardTable.swift 'leases[shard].map(permits) ?? false' 'true' \
    'what a late owner would send at once is queued for the owner'

mutant id-twice 'store: an id is used twice' \
    Sources/PushStore/Outbox/EntryID.swift 'max(step, Self.clock(milliseconds))' 'max(last, Self.clock(milliseconds))' \
    'no two relays act on a shard, nothing is lost'

mutant cut-whole 'store: a request that is stored in part counts as whole' \
    Sources/PushStore/Store/StoreWriter+Enqueue.swift 'open: later.map(\.ids))' 'open: MUTANT ? nil : later.map(\.ids))' \
    'an error between two shards is answered with what is stored'

mutant hooks-held 'store: a takeover leaves hooks to the late owner' \
    Sources/PushStore/Store/SQLiteStore+Shards.swift 'try writer.recoverHooks(of: leases.shards, now: now)' \
    'if !MUTANT { try writer.recoverHooks(of: leases.shards, now: now) }' \
    "a late owner's hooks stay for the next owner"

mutant purge-foreign 'store: a relay purges what another owns' \
    Sources/PushStore/Store/StoreWriter+Purge.swift 'shards.contains(entry: id)' 'true' \
    'a relay counts and purges what is in its own shards'

mutant note-overwritten 'store: a relay overwrites what another has counted' \
    Sources/PushStore/Store/StoreWriter+Hooks.swift '$0.known == NoteChange.sum($1)' \
    'MUTANT || $0.known == NoteChange.sum($1)' \
    'quotas add up' 'delivery counts add up'

mutant owner-deaf 'store: an owner hears nothing of what another relay queues' \
    Sources/PushStore/Store/StoreWriter.swift 'hints.notify()' 'if !MUTANT { hints.notify() }' \
    'an owner hears of what others queue in its shards'

mutant foreign-reserved 'relay: a notification of a shard that another relay owns skips the queue' \
    Sources/PushService/Delivery/Dispatcher+HandOver.swift 'shards == .all' 'true' \
    "what a relay stores for another's shard goes out by its owner"

mutant deadline-late 'relay: the deadline of a lease counts from the answer to its renewal' \
    Sources/PushService/App/ShardKeeper.swift 'shards.didRenew(held.only(ShardSet.all.subtracting(lost)), until: deadline)' \
    'shards.didRenew(held.only(ShardSet.all.subtracting(lost)), until: MUTANT ? self.deadline() : deadline)' \
    'a deadline counts from before the store was asked'

mutant takeover-passes 'relay: a takeover knows of nothing that is queued' \
    Sources/PushService/App/ShardKeeper.swift 'willTake()
' 'if !MUTANT { willTake() }
' 'what was queued before a takeover goes out before what comes after'

# The gateway, whose rules are in docs/gateway.md.

mutant vapid-audience "relay: a server's token for another audience is accepted" \
    Sources/PushService/Gateway/VAPIDToken.swift 'guard audiences.contains' 'guard MUTANT || audiences.contains' \
    'what is no token of ES256 under its key is refused'

mutant vapid-signature "relay: the signature of a server's token is not checked" \
    Sources/PushService/Gateway/VAPIDToken.swift 'guard token.hasValidSignature' 'guard MUTANT || token.hasValidSignature' \
    'the example of RFC 8292 is accepted on its day'

mutant vapid-key "relay: any server's key is right for an endpoint" \
    Sources/PushService/Gateway/VAPIDToken.swift 'guard keyHash == nil || token' 'guard MUTANT || keyHash == nil || token' \
    'an endpoint made for a server'

mutant record-stays 'relay: a long record outlives its endpoint' \
    Sources/PushStore/Store/StoreWriter+Endpoints.swift 'if wasThere {' 'if !MUTANT, wasThere {' \
    'a record too long for a push is kept for the device'

mutant endpoint-revoked 'relay: a revoked endpoint is taken from a snapshot of before' \
    Sources/PushStore/Store/StoreWriter+Endpoints.swift 'touchesRegistry = true
        if ' 'if !MUTANT { touchesRegistry = true }
        if ' 'a revoked endpoint, an invented one'

mutant endpoint-expired 'relay: an endpoint outlives its time' \
    Sources/PushStore/Devices/PushEndpoint.swift 'expiry.map { $0 <= now } ?? false' \
    '!MUTANT && (expiry.map { $0 <= now } ?? false)' 'an endpoint ends at the time'

mutant endpoint-share "relay: a flood takes all of a device's rate" \
    Sources/PushService/Gateway/DeviceShares.swift 'return own == 0 ?' 'return MUTANT || own == 0 ?' \
    'floods share the rate alike' "one server's flood ends"

mutant endpoint-block 'relay: who is blocked is let in, and all others are not' \
    Sources/PushService/Gateway/WebPushHandler.swift 'return blocks.contains(' 'return MUTANT != blocks.contains(' \
    'a publisher blocks an endpoint' 'a publisher blocks a server'

mutant ticket-subject "relay: another device's ticket will do" \
    Sources/PushService/Enrolment/EnrolmentTicket.swift 'guard self.keyHash == keyHash' \
    'guard MUTANT || self.keyHash == keyHash' "with a ticket of the app's back end"

mutant attest-nonce 'relay: an attestation answers any challenge' \
    Sources/PushService/Enrolment/AppAttestation.swift 'guard leaf.extensionValue' 'guard MUTANT || leaf.extensionValue' \
    'an object is taken, or refused'

mutant attest-counter 'relay: an assertion counts twice' \
    Sources/PushStore/Devices/EnrolmentStanding.swift 'attestedKey.id == keyID, counter > attestedKey.counter,
                challenged > attestedKey.challenged' \
    'attestedKey.id == keyID,
                MUTANT || counter > attestedKey.counter && challenged > attestedKey.challenged' \
    'a phone enrols with an attestation, then'

# The simulator, whose rules are in docs/simulator.md.

mutant budget-half 'simulator: a background push that waits for the budget is woken for at half its time' \
    Sources/APNSSimulator/Delivery/DeviceRhythm.swift 'backgrounds[backgrounds.count - limit] + Self.hour' \
    'backgrounds[backgrounds.count - limit] + Self.hour / 2' 'a push that waits for the budget wakes the engine once'

mutant background-badge 'simulator: nothing is said to a badge in a background push' \
    Sources/APNSSimulator/Validation/PayloadRules.swift '("badge", .badge)' \
    '(MUTANT ? "alert" : "badge", .badge)' 'a payload that breaks a rule of its type is remarked on'

mutant setting-stored 'simulator: a setting is stored and not applied' \
    Sources/APNSSimulator/SimulatorCore.swift '        pushServer?.replace(' \
    '        if MUTANT { return }
        pushServer?.replace(' 'a setting that is changed acts on what comes then'

mutant page-origin 'simulator: a page of another site may call' \
    Sources/HTTP/Pages/PageCaller.swift 'guard allowsOwnPage, origin' 'guard MUTANT || allowsOwnPage && origin' \
    'the own page may call, another may not'

mutant dashboard-tenant "relay: a tenant's statistics are those of all" \
    Sources/PushService/Statistics/StatisticsHandler.swift 'call.route.scope == .metrics ? nil : tenant' \
    'MUTANT || call.route.scope == .metrics ? nil : tenant' 'a tenant has its own counts'

mutant dashboard-session 'relay: a session of the dashboard never ends' \
    Sources/PushService/Dashboard/DashboardSessions.swift '$0.end > now ? $0.key : nil' \
    'MUTANT || $0.end > now ? $0.key : nil' 'a session ends after twelve hours'

mutant page-secret 'simulator: a call of the playground needs no secret' \
    Sources/APNSSimulator/Control/ControlServer.swift 'try router.checkCaller(request)' \
    'if !MUTANT { try router.checkCaller(request) }' 'a file needs no secret, a call does'

# The database of several relays, whose rules are in docs/store.md.

mutant database-uncertain 'database: a batch whose answer was lost counts as not stored' \
    Sources/PostgreSQL/Session/BatchProgress.swift 'writes && isSent ? .uncertain(reason) : .notDone(reason)' \
    '.notDone(reason)' 'a lost connection is uncertain from the last byte sent'

mutant database-standby 'database: a commit that no standby confirmed counts as stored' \
    Sources/PostgreSQL/Errors/ServerReport.swift 'severity == "WARNING" && state?.description == "01000"' 'false' \
    'a warning without a code makes a commit uncertain' 'without its standby a commit waits'

mutant database-name "database: any name in the server's certificate will do" \
    Sources/PostgreSQL/Session/ServerConnector.swift 'candidate.address == nil ? "prefer" : "verify-full"' \
    'candidate.address == nil ? "prefer" : "verify-ca"' 'a certificate of another name'

mutant database-primary 'database: a standby is taken for the primary' \
    Sources/PostgreSQL/Session/ServerConnector.swift 'session.setting("in_hot_standby") == "on"' 'false' \
    'a standby is refused, and of several hosts'

mutant database-timeline 'database: the primary from before a failover is used' \
    Sources/PostgreSQL/Session/ServerConnector.swift 'found >= timeline.newest' 'true' \
    'after a failover the earlier primary is refused'
