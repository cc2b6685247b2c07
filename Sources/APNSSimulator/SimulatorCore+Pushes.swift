import APNS
import DeviceLink
import HTTP
import Primitives

extension SimulatorCore {
    func admitProvider(_ address: String) -> Bool {
        connections.admit(address, now: now)
    }

    func verdict(on connection: HTTP2ServerConnection) -> CertificateVerdict {
        // No certificate was requested.
        guard configuration.validation.clientAuthoritiesPEM != nil else { return .absent }
        return CertificateVerdict(
            connection.peerCertificate,
            isVerified: connection.isPeerVerified,
            environment: configuration.environment,
            rules: configuration.validation
        )
    }

    /// Handles one request; returns the reason of a refusal.
    func handle(
        _ request: HTTP2ServerRequest,
        _ responder: HTTP2Responder,
        _ validator: inout RequestValidator,
        _ injector: FaultInjector?
    ) -> Reason? {
        let now = now
        let verdict = validator.validate(
            request.headers,
            payload: request.body,
            payloadByteCount: request.bodyByteCount,
            now: now,
            ledger: &ledger,
            makeID: { freshID() },
            registration: { registration(of: $0) },
            isTooFrequent: { directory.isTooFrequent($0, at: now * 1000) }
        )
        let received = isObserved ? ReceivedPush(request, verdict, hasHeaders: onEvent != nil) : nil
        switch verdict.result {
        case .success(let push):
            // Costs every push, so only if needed.
            let device = received != nil || !faults.isIdle ? number(of: push.deviceToken) : 0
            if !faults.isIdle, let injector, let fault = faults.next(device: device, topic: push.topic) {
                record(request, .injected(fault), injector, verdict.answeredID)
                if let received { notify(.injected(fault, received, device: device)) }
                return injector.carryOut(fault, on: injected(push, request, responder, verdict.answeredID))
            }
            injector?.note(responder.streamID, isProcessed: true)
            record(request, .answered(status: 200, nil), injector, verdict.answeredID)
            let uniqueID = uniqueIDs.next()
            accept(verdict.answeredID, uniqueID, responder)
            if let received { notify(.accepted(received, device: device)) }
            deliver(push, request.body, uniqueID, discardedFor: push.isDropped ? .topicOfAnotherType : nil)
            return nil
        case .failure(let rejected):
            injector?.note(responder.streamID, isProcessed: true)
            record(request, .answered(status: rejected.reason.status, rejected.reason), injector, verdict.answeredID)
            reject(rejected, verdict.answeredID, responder)
            if let received { notify(.rejected(rejected.reason, received)) }
            return rejected.reason
        }
    }

    private func deliver(
        _ push: AcceptedPush,
        _ payload: [UInt8],
        _ uniqueID: APNSID,
        discardedFor reason: DiscardReason? = nil
    ) {
        perform(
            directory.accept(
                push.delivery(payload: payload),
                for: push.deviceToken,
                uniqueID: uniqueID,
                discardedFor: reason,
                at: nowInMilliseconds
            )
        )
    }

    private func accept(_ answeredID: [UInt8], _ uniqueID: APNSID, _ responder: HTTP2Responder) {
        var headers = HeaderBlock()
        headers.reserveCapacity(byteCount: 128, fieldCount: 2)
        headers.append(HeaderName.id, answeredID, indexing: .notIndexed)
        if configuration.environment == .sandbox {
            // Key in the delivery log; only the sandbox sends it.
            headers.append(HeaderName.uniqueID, indexing: .notIndexed) { uniqueID.appendText(to: &$0) }
        }
        responder.respond(status: 200, headers: headers)
    }

    private func reject(_ rejected: RequestRejection, _ answeredID: [UInt8], _ responder: HTTP2Responder) {
        var headers = HeaderBlock()
        headers.append(HeaderName.contentType, "application/json")
        headers.append(HeaderName.id, answeredID, indexing: .notIndexed)
        responder.respond(status: rejected.reason.status, headers: headers, body: rejected.body.json)
    }

    private func injected(
        _ push: AcceptedPush,
        _ request: HTTP2ServerRequest,
        _ responder: HTTP2Responder,
        _ answeredID: [UInt8]
    ) -> InjectedPush {
        let uniqueID = uniqueIDs.next()
        return InjectedPush(
            responder: responder,
            accept: { [self] in accept(answeredID, uniqueID, responder) },
            reject: { [self] reason in
                let timestamp = reason.hasTimestamp ? nowInMilliseconds : nil
                reject(RequestRejection(reason, timestampMilliseconds: timestamp), answeredID, responder)
            },
            deliver: { [self] in deliver(push, request.body, uniqueID) },
            discard: { [self] in deliver(push, request.body, uniqueID, discardedFor: .injected) }
        )
    }

    private func record(
        _ request: HTTP2ServerRequest,
        _ outcome: RecordedExchange.Outcome,
        _ injector: FaultInjector?,
        _ answeredID: [UInt8]
    ) {
        recording?.append(
            request,
            outcome: outcome,
            connection: injector?.connectionNumber ?? 0,
            unixSeconds: now,
            answeredID: answeredID,
            deviceNumber: { directory.number(of: $0) }
        )
    }

    func randomBytes(count: Int) -> [UInt8] { random.bytes(count: count) }

    func freshID() -> APNSID { uniqueIDs.next() }

    func deliver(_ push: DevicePush, to token: DeviceToken) {
        perform(directory.accept(push, for: token, uniqueID: uniqueIDs.next(), at: nowInMilliseconds))
    }

    func report(_ event: SimulatorEvent) { notify(event) }
}
