package import Networking

extension HTTP2ClientCore: TLSChannelDelegate, TurnEndHandler {
    package func channelDidOpen(_ channel: TLSChannel) {
        guard channel.negotiatedProtocol == "h2" else { return channel.abort(.tls(.noCommonProtocol)) }
        do throws(HTTP2Error) {
            session = try HTTP2Session(role: .client, settings: limits.settings, now: loop.now)
        } catch {
            return channel.abort(.http2(error))
        }
        prefaceTimer = loop.schedule(after: limits.channel.handshakeDeadline) { [unowned self] in
            self.channel?.abort(.deadlineExceeded(.handshake))
        }
        planFlush()
    }

    package func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
        guard let session else { return }
        receivedAt = loop.now
        do throws(HTTP2Error) {
            try session.receive(bytes, now: loop.now)
        } catch {
            return channel.abort(.http2(error))
        }
        handleEvents(session)
        planFlush()
        owner?.connectionDidProgress()
    }

    package func channelIsWritable(_ channel: TLSChannel) {
        planFlush()
        owner?.connectionDidProgress()
    }

    package func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {
        didClose(error)
    }

    package func handleTurnEnd() {
        isTurnEndPlanned = false
        flush()
    }
}

extension HTTP2ClientCore {
    /// Sends a PING (RFC 9113 section 6.7) and ends the connection if no answer comes in time. One at a time.
    package func ping(deadline: Duration) {
        guard case .open = state, pingedAt == nil, let session, let channel else { return }
        do throws(HTTP2Error) {
            try session.submitPing()
        } catch {
            return channel.abort(.http2(error))
        }
        pingedAt = loop.now
        pingTimer = loop.schedule(after: deadline) { [unowned self] in pingDidExpire() }
        planFlush()
    }

    private func pingDidExpire() {
        guard loop.now < loop.judgesFrom else {
            channel?.abort(.deadlineExceeded(.ping))
            return
        }
        pingTimer = loop.schedule(after: loop.judgesFrom - .now()) { [unowned self] in pingDidExpire() }
    }

    func didReceivePong() {
        guard let pingedAt else { return }
        self.pingedAt = nil
        pingTimer?.cancel()
        pingTimer = nil
        onEvent?(.pong(roundTrip: loop.now - pingedAt))
    }
}
