import Envelope
import HTTP
import PushStore
import Sealing
import ServiceParts

extension SidecarCore {
    /// Answers `POST /v1/events`: events of the relay's webhook, passed on by the back end.
    ///
    /// Seals a re-send at once while the words are in memory; else it waits in `GET /v1/resends`.
    func take(_ body: [UInt8]) async throws(SidecarProblem) -> HTTPAnswer {
        guard !isStopping else { throw Self.draining }
        let limits = JSONParser.Limits(byteCountMax: 1 << 20, depthMax: 8, allowsFractions: true)
        guard let document = try? JSONParser.parse(body, limits: limits) else {
            throw SidecarProblem(.notJSON, "Pass the body of the relay's webhook on as it came.")
        }
        for event in document["events"]?.elements ?? [document] {
            guard event["event"]?.string == "resend-requested",
                let trace = event["trace"]?.string.flatMap({ Trace(text: $0) }),
                let copy = try stored({ () throws(StoreError) in try store.copy(trace: trace) })
            else { continue }
            metrics.resends += 1
            try await resendFromMemory(copy.number, copy.device, copy.user)
        }
        return HTTPAnswer(status: 204)
    }

    private func resendFromMemory(_ number: Int64, _ device: String, _ user: String?) async throws(SidecarProblem) {
        let now = clock.wall()
        guard let message = try stored({ () throws(StoreError) in try store.message(number: number) }),
            now < message.expiresAt
        else { return }
        let wanted = MessageSubmission.Recipient(device: device, identity: nil, user: user)
        guard let words = words[number], let prepared = Self.preparedAgain(words, message, .shorten),
            try await sealAgain(prepared, [wanted], number).contains(where: \.isSealed)
        else {
            return try stored { () throws(StoreError) in try store.wantResend(of: number, to: device, now: now) }
        }
    }

    /// Answers `GET /v1/resends`.
    func wantedResends() throws(SidecarProblem) -> HTTPAnswer {
        let now = clock.wall()
        let wanted = try stored { () throws(StoreError) in try store.wantedResends(now: now) }
        return .json(200) { writer in
            writer.name("resends")
            writer.array { writer in
                for resend in wanted {
                    writer.object { writer in
                        writer.member("message", Base64URL.string(resend.message))
                        writer.member("device", resend.device)
                        writer.member(
                            "expires-at",
                            ISODateTime.text(milliseconds: Int64(clamping: resend.expiresAt.milliseconds))
                        )
                    }
                }
            }
        }
    }

    /// Seals words again, with the first message's id and times, so that a device shows them once.
    func resend(_ submission: MessageSubmission, _ id: MessageID) async throws(SidecarProblem) -> HTTPAnswer {
        guard submission.attachments.isEmpty else {
            throw SidecarProblem(
                .invalidFields,
                "A re-send takes words alone; a message with attachments is sent anew."
            )
        }
        guard let message = try stored({ () throws(StoreError) in try store.message(id: id) }),
            clock.wall() < message.expiresAt
        else {
            throw SidecarProblem(.notFound, "No such message, or its life has ended; send the words as a new one.")
        }
        guard let prepared = Self.preparedAgain(submission.message, message, .refuse) else {
            throw SidecarProblem(.textTooLong, "The words do not fit, or are no message.")
        }
        _ = try await sealAgain(prepared, submission.recipients, message.number)
        return try state(of: message.number, id, status: 202)
    }

    private static func preparedAgain(
        _ words: Message,
        _ message: StoredMessage,
        _ overflow: Message.Overflow
    ) -> PreparedMessage? {
        guard let id = MessageID(rawRepresentation: message.id) else { return nil }
        return try? PreparedMessage(
            resending: words,
            messageID: id,
            sentAt: message.sentAt,
            expiresAt: message.expiresAt,
            overflow: overflow
        )
    }

    /// The device has a newer bundle than the one sealed to.
    private func sealAgain(
        _ prepared: PreparedMessage,
        _ wanted: [MessageSubmission.Recipient],
        _ number: Int64
    ) async throws(SidecarProblem) -> [NewMessage.Copy] {
        let resolved = await resolve(wanted, isNewest: true)
        let copies = seal(prepared, wanted, resolved)
        // A refusal leaves the first copy's state.
        let sealed = copies.filter(\.isSealed)
        guard !sealed.isEmpty else { return copies }
        try stored { () throws(StoreError) in
            try store.insertAgain(sealed, of: number, devices: resolved.devices)
        }
        remember(resolved)
        enqueue(number)
        return copies
    }
}

extension NewMessage.Copy {
    var isSealed: Bool { if case .success = result { true } else { false } }
}
