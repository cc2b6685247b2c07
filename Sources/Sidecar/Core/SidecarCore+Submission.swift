import Envelope
import HTTP
import Keys
import PushStore
import Sealing
import ServiceParts

extension SidecarCore {
    /// Answers `POST /v1/messages`: 202 once every copy is sealed and on disk.
    func submit(_ body: [UInt8], key: String?) async throws(SidecarProblem) -> HTTPAnswer {
        let begun = clock.uptime()
        guard !isStopping else { throw Self.draining }
        let key = key.map { Array($0.utf8) }
        let digest = digest(of: body)
        if let key, let known = try stored({ () throws(StoreError) in try store.message(key: key) }) {
            return try repeated(known, digest)
        }
        let submission = try MessageSubmission(body, limits)
        let now = clock.wall()
        try checkClock(now)
        let room = try takeRoom(submission.recipients.count)
        defer { giveRoom(room) }
        if let id = submission.resendOf { return try await resend(submission, id) }
        let (prepared, words) = try await prepare(submission, now)
        let resolved = await resolve(submission.recipients)
        try checkReached(submission, resolved)
        let copies = seal(prepared, submission.recipients, resolved)
        let message = NewMessage(
            id: prepared.messageID,
            key: key,
            digest: digest,
            messageClass: submission.messageClass.rawValue,
            expirySeconds: submission.expirySeconds,
            collapseID: submission.collapseID,
            sentAt: prepared.sentAt,
            expiresAt: prepared.expiresAt
        )
        let number = try stored { () throws(StoreError) in
            try store.insert(message, copies, devices: resolved.devices)
        }
        guard let number else {
            // Of two simultaneous requests with one key, the first counts.
            guard let key, let known = try stored({ () throws(StoreError) in try store.message(key: key) }) else {
                throw SidecarProblem(.internalError, "Nothing was stored; send it again.")
            }
            return try repeated(known, digest)
        }
        remember(resolved)
        keepWords(words, of: number)
        metrics.messages += 1
        metrics.latency.observe(microseconds: (clock.uptime() - begun) / 1_000)
        enqueue(number)
        return try state(of: number, prepared.messageID, status: 202)
    }

    /// Answers `GET /v1/messages/{id}`.
    func state(of text: String) throws(SidecarProblem) -> HTTPAnswer {
        let id = MessageID(text: text)
        guard let id, let message = try stored({ () throws(StoreError) in try store.message(id: id) }) else {
            throw SidecarProblem(.notFound, "No such message; settled ones are forgotten after 'retention-hours'.")
        }
        return try state(of: message.number, id, status: 200)
    }

    static var draining: SidecarProblem {
        var problem = SidecarProblem(.draining, "The sidecar is stopping. Send it again later, with the same key.")
        problem.retryAfterSeconds = 5
        return problem
    }

    func stored<Value>(_ work: () throws(StoreError) -> Value) throws(SidecarProblem) -> Value {
        do throws(StoreError) {
            return try work()
        } catch {
            throw problem(error)
        }
    }

    private func repeated(_ message: StoredMessage, _ digest: [UInt8]) throws(SidecarProblem) -> HTTPAnswer {
        guard message.digest == digest, let id = MessageID(rawRepresentation: message.id) else {
            throw SidecarProblem(
                .idempotencyConflict,
                "Use another key for another request; this one came with another body."
            )
        }
        return try state(of: message.number, id, status: 202)
    }

    func state(of number: Int64, _ id: MessageID, status: Int) throws(SidecarProblem) -> HTTPAnswer {
        let copies = try stored { () throws(StoreError) in try store.copies(of: number) }
        return .json(status) { writer in
            writer.member("id", id.text)
            writer.name("recipients")
            writer.array { writer in
                for copy in copies {
                    writer.object { writer in
                        writer.member("device", copy.device)
                        if let user = copy.user { writer.member("user", user) }
                        writer.member("state", copy.state.word)
                        if let id = copy.relayID { writer.member("relay-id", id) }
                        copy.rejection?.write(to: &writer)
                    }
                }
            }
        }
    }

    // MARK: Steps

    /// Refuses to seal by a clock that was set back.
    private func checkClock(_ now: Timestamp) throws(SidecarProblem) {
        let behind = clock.now().duration(since: now)
        guard behind > SidecarStore.clockTolerance else { return }
        var problem = SidecarProblem(
            .clockSetBack,
            "This machine's clock is \(behind.components.seconds) seconds behind what it was; set it. Nothing was stored."
        )
        problem.retryAfterSeconds = 60
        throw problem
    }

    /// Reserves room until the copies are in the queue.
    private func takeRoom(_ count: Int) throws(SidecarProblem) -> SidecarStore.Load {
        let room = SidecarStore.Load(count: count, byteCount: count * 4_096)
        guard store.load.count + coming.count + count <= limits.queuedCountMax,
            store.load.byteCount + coming.byteCount + room.byteCount <= limits.queuedByteCountMax
        else {
            var problem = SidecarProblem(
                .queueFull,
                "\(store.load.count) copies wait for the relay, and no more are taken. Send it again later."
            )
            problem.retryAfterSeconds = 30
            throw problem
        }
        coming.count += room.count
        coming.byteCount += room.byteCount
        return room
    }

    private func giveRoom(_ room: SidecarStore.Load) {
        coming.count -= room.count
        coming.byteCount -= room.byteCount
    }

    /// Uploads attachments, and encodes the message once for all devices.
    ///
    /// - Returns: encoded message, and its words to encode it again.
    private func prepare(
        _ submission: MessageSubmission,
        _ now: Timestamp
    ) async throws(SidecarProblem) -> (PreparedMessage, Message) {
        var message = submission.message
        if !submission.attachments.isEmpty {
            message.attachments = try await stage().upload(submission.attachments)
        }
        do throws(SealingError) {
            return (
                try PreparedMessage(message, sentAt: now, lifetime: submission.lifetime, overflow: .refuse), message
            )
        } catch {
            guard submission.tooLong == .overflow, case .message(.tooLong) = error else { throw Self.problem(error) }
        }
        let text = MessageSubmission.Attachment(
            source: .bytes(Array(message.body.utf8)),
            type: Self.plainText,
            name: nil
        )
        message.attachments += try await stage().upload([text])
        do throws(SealingError) {
            return (
                try PreparedMessage(message, sentAt: now, lifetime: submission.lifetime, overflow: .shorten), message
            )
        } catch {
            throw Self.problem(error)
        }
    }

    private static var plainText: MediaType {
        guard let type = MediaType("text/plain") else { preconditionFailure("it is a media type") }
        return type
    }

    private func stage() throws(SidecarProblem) -> AttachmentStage {
        guard let attachments else {
            throw SidecarProblem(.invalidFields, "No host of attachments is configured ('attachments').")
        }
        return attachments
    }

    static func problem(_ error: SealingError) -> SidecarProblem {
        switch error {
        case .message(.tooLong(let excess)):
            SidecarProblem(
                .textTooLong,
                "The message has \(excess) bytes too many; shorten it, or say \"too-long\": \"overflow\"."
            )
        case .message(.noRoomForAttachments(let byteCount, let room)):
            SidecarProblem(
                .textTooLong,
                "The attachments take \(byteCount) bytes, and there is room for \(room); send fewer."
            )
        case .message(.noText): SidecarProblem(.invalidFields, "The message has neither title nor body.")
        case .message(.invalid(let member)):
            SidecarProblem(.invalidFields, "The message's '\(member)' is out of its range.")
        case .callLifetime(let max):
            SidecarProblem(.invalidFields, "A call may ring for \(max.components.seconds) seconds at most.")
        case .lifetime: SidecarProblem(.invalidFields, "'lifetime-seconds' is more than 7 days.")
        case .randomSourceFailed: SidecarProblem(.internalError, "This machine's source of random bytes is broken.")
        default: SidecarProblem(.invalidFields, "The message cannot be sealed.")
        }
    }

    /// Refuses a message that no device could get, while the relay is not reached.
    private func checkReached(_ submission: MessageSubmission, _ resolved: ResolvedRecipients) throws(SidecarProblem) {
        guard submission.recipients.allSatisfy({ resolved.rejected[$0.device] == .bundleUnavailable }) else { return }
        var problem = SidecarProblem(
            .relayUnreachable,
            "No usable bundle of these devices is here, and the relay was not reached. Nothing was stored; send it again."
        )
        problem.retryAfterSeconds = 5
        throw problem
    }

    /// Seals for each device, in the order of the request.
    func seal(
        _ prepared: PreparedMessage,
        _ wanted: [MessageSubmission.Recipient],
        _ resolved: ResolvedRecipients
    ) -> [NewMessage.Copy] {
        let now = clock.wall()
        return wanted.map { one in
            let result: Result<(sealed: [UInt8], trace: Trace), Rejection>
            do throws(Rejection) {
                guard let recipient = resolved.found[one.device] else {
                    throw resolved.rejected[one.device] ?? .bundleUnavailable
                }
                result = .success(try seal(prepared, for: recipient, now))
                metrics.sealed += 1
            } catch {
                metrics.rejected[error.word, default: 0] += 1
                result = .failure(error)
            }
            return NewMessage.Copy(device: one.device, user: one.user, result: result)
        }
    }

    private func seal(
        _ prepared: PreparedMessage,
        for recipient: Recipient,
        _ now: Timestamp
    ) throws(Rejection) -> (sealed: [UInt8], trace: Trace) {
        do throws(SealingError) {
            let sealed = try loaded.sender.seal(prepared, for: recipient, now: now)
            return (sealed.envelope.bytes, sealed.trace)
        } catch {
            throw Rejection(error)
        }
    }
}
