import APNS
import Networking

/// One client's connection to the fault server; apart from faults it behaves like APNs. Lives on the server's loop.
final class FaultConnection {
    let loop: EventLoop
    let channel: FaultChannel
    let plan: FaultPlan.Connection
    private let core: FaultServerCore
    private let number: Int
    private var reader = FaultFrameReader()
    private var decoder: FaultRequestDecoder?
    private(set) var isEnded = false

    var streams: [Int32: FaultStream] = [:]
    private(set) var highestReceived: Int32 = 0
    private(set) var highestProcessed: Int32 = 0
    /// From GOAWAY: streams above it are not processed.
    var lastStreamID = Int32.max
    var isDraining = false

    /// Announced limits without an acknowledgement, in order; nil for a frame without one.
    private var announcedStreamCounts: [UInt32?] = []
    private var acknowledgedStreamCount = UInt32.max
    /// The last announced limit.
    private(set) var streamCountMax: UInt32
    /// The client's windows for us.
    private var sendWindow = 65_535
    private var streamSendWindow = 65_535

    init(_ channel: FaultChannel, _ plan: FaultPlan.Connection, number: Int, core: FaultServerCore) {
        loop = channel.loop
        self.channel = channel
        self.plan = plan
        self.number = number
        self.core = core
        streamCountMax = plan.streamCountMax
    }

    // MARK: Frames out

    func write(_ frames: [FaultFrame]) {
        guard !isEnded, !frames.isEmpty else { return }
        channel.write(frames.flatMap(\.bytes))
    }

    func announce(_ entries: [(FaultFrame.Setting, UInt32)]) {
        announcedStreamCounts.append(entries.last { $0.0 == .maxConcurrentStreams }?.1)
        write([.settings(entries)])
    }

    func announceStreams(_ count: UInt32) {
        streamCountMax = count
        announce([(.maxConcurrentStreams, count)])
    }

    private func sendBodies() {
        for streamID in streams.keys.sorted() { sendBody(streamID) }
    }

    private func sendBody(_ streamID: Int32) {
        guard var stream = streams[streamID], var outgoing = stream.outgoing else { return }
        var frames: [FaultFrame] = []
        while !outgoing.isDone {
            let rest = outgoing.bytes.count - outgoing.offset
            let byteCount = min(rest, outgoing.pieceByteCount, sendWindow, stream.window)
            guard byteCount > 0 else { break }
            let piece = Array(outgoing.bytes[outgoing.offset..<outgoing.offset + byteCount])
            outgoing.offset += byteCount
            sendWindow -= byteCount
            stream.window -= byteCount
            let isEnd = outgoing.isDone && outgoing.trailers == nil
            frames.append(FaultFrame(.data, flags: isEnd ? FaultFrame.endStream : 0, streamID: streamID, piece))
        }
        if outgoing.isDone, let trailers = outgoing.trailers { frames.append(trailers) }
        stream.outgoing = outgoing.isDone ? nil : outgoing
        streams[streamID] = stream
        write(frames)
        if outgoing.isDone { endAnswer(streamID) }
    }

    private func endAnswer(_ streamID: Int32) {
        if let stream = streams[streamID], let request = stream.request, let answer = stream.answer {
            core.ledger.didFinishAnswer(to: request, status: answer.status, answer.reason)
        }
        closeStream(streamID)
    }

    func closeStream(_ streamID: Int32) {
        streams[streamID] = nil
        closeIfDrained()
    }

    func closeIfDrained() {
        guard isDraining, streams.isEmpty, !isEnded else { return }
        channel.close()
    }

    // MARK: Requests

    func answer(_ streamID: Int32, _ answer: FaultAnswer) {
        guard channel.isOpen, var stream = streams[streamID], !stream.isSettled, let id = stream.id else { return }
        stream.isSettled = true
        stream.answer = (answer.status, answer.reason)
        stream.outgoing = answer.outgoing(on: streamID)
        streams[streamID] = stream
        core.ledger.didAnswer(id, status: answer.status)
        write(answer.heads(on: streamID))
        if stream.outgoing == nil { endAnswer(streamID) } else { sendBody(streamID) }
        if answer.status == 200, let later = plan.streamCountMaxLater, streamCountMax == plan.streamCountMax,
            later != streamCountMax
        {
            announceStreams(later)
        }
    }

    func reset(_ streamID: Int32, code: UInt32) {
        guard channel.isOpen, let stream = streams[streamID] else { return }
        if code == 7, let id = stream.id { core.ledger.didRefuse(id) }
        write([.reset(streamID, code: code)])
        closeStream(streamID)
    }

    /// Processes the request, unless it was refused or reset.
    ///
    /// - Returns: True if it was processed.
    @discardableResult
    func process(_ streamID: Int32) -> Bool {
        guard channel.isOpen, let stream = streams[streamID], !stream.isSettled, !stream.isProcessed,
            let id = stream.id,
            streamID <= lastStreamID
        else { return false }
        streams[streamID]?.isProcessed = true
        highestProcessed = max(highestProcessed, streamID)
        core.ledger.didProcess(id)
        return true
    }

    /// Drops the streams above GOAWAY's last one.
    func refuseStreams() {
        for (streamID, stream) in streams where streamID > lastStreamID {
            if let id = stream.id { core.ledger.didRefuse(id) }
            streams[streamID] = nil
        }
        closeIfDrained()
    }

    private func didReceiveRequest(_ request: FaultRequestDecoder.Request) {
        guard let id = request.id else { return core.ledger.didBreakProtocol() }
        let index = core.ledger.didReceive(id, on: number, tokenIssuedAt: request.tokenIssuedAt, at: .now())
        let plan = core.nextRequest()
        if plan.fault != nil { core.ledger.didMeetFault() }
        // Reset or excluded by a GOAWAY before it was complete.
        guard streams[request.streamID] != nil else { return core.ledger.didRefuse(id) }
        streams[request.streamID]?.id = id
        streams[request.streamID]?.request = index
        FaultExchange(connection: self, streamID: request.streamID, id: id).carryOut(plan)
    }

    // MARK: Frames in

    private func handle(_ frame: FaultFrame) {
        switch frame.kind {
        case .settings where frame.isAcknowledgement:
            guard !announcedStreamCounts.isEmpty else { return core.ledger.didBreakProtocol() }
            if let count = announcedStreamCounts.removeFirst() { acknowledgedStreamCount = count }
        case .settings: didReceiveSettings(frame.payload)
        case .ping where !frame.isAcknowledgement:
            write([FaultFrame(.ping, flags: FaultFrame.acknowledgement, frame.payload)])
        case .windowUpdate: didReceiveWindow(frame)
        case .headers, .continuation, .data, .reset: didReceiveOnStream(frame)
        case .goAway, .ping, .priority, .pushPromise, nil: break
        }
    }

    private func didReceiveOnStream(_ frame: FaultFrame) {
        if frame.kind == .headers, frame.streamID > highestReceived {
            highestReceived = frame.streamID
            if streams.count >= Int(acknowledgedStreamCount) { core.ledger.didExceedStreams() }
            // A stream excluded by GOAWAY is read, because HPACK needs it, and not served.
            if frame.streamID <= lastStreamID { streams[frame.streamID] = FaultStream(window: streamSendWindow) }
        }
        let requests: [FaultRequestDecoder.Request]
        do throws(HTTP2Error) {
            requests = try decoder?.decode(frame, now: loop.now) ?? []
        } catch {
            core.ledger.didBreakProtocol()
            return channel.close()
        }
        if frame.kind == .data, !frame.payload.isEmpty { write([.windowUpdate(0, frame.payload.count)]) }
        if frame.kind == .reset { closeStream(frame.streamID) }
        for request in requests { didReceiveRequest(request) }
    }

    private func didReceiveSettings(_ payload: [UInt8]) {
        for start in stride(from: 0, to: payload.count - payload.count % 6, by: 6) {
            let id = FaultFrame.number(payload[start..<start + 2])
            guard id == UInt32(FaultFrame.Setting.initialWindowSize.rawValue) else { continue }
            let window = Int(FaultFrame.number(payload[start + 2..<start + 6]))
            for streamID in streams.keys { streams[streamID]?.window += window - streamSendWindow }
            streamSendWindow = window
        }
        write([.settingsAcknowledgement])
        sendBodies()
    }

    private func didReceiveWindow(_ frame: FaultFrame) {
        let increment = Int(FaultFrame.number(frame.payload[...]) & 0x7FFF_FFFF)
        if frame.streamID == 0 {
            sendWindow += increment
            sendBodies()
        } else {
            streams[frame.streamID]?.window += increment
            sendBody(frame.streamID)
        }
    }
}

extension FaultConnection: FaultChannelOwner {
    func channelDidOpen() {
        core.ledger.didShakeHands(number)
        do throws(HTTP2Error) { decoder = try FaultRequestDecoder(now: loop.now) } catch { return channel.close() }
        switch plan.connectFault {
        case .noSettings: return
        case .goAway(let reason):
            let frame = FaultFrame.goAway(lastStreamID: 0, code: 0, RejectionBody(reason).json)
            lastStreamID = 0
            write([.settings([]), frame, frame])
            return channel.close()
        default: break
        }
        announce([
            (.maxConcurrentStreams, plan.streamCountMax), (.initialWindowSize, 65_535), (.maxFrameSize, 16_384),
            (.maxHeaderListSize, 8_000),
        ])
        for moment in plan.faults {
            loop.schedule(after: moment.delay) { [weak self] in self?.carryOut(moment.fault) }
        }
    }

    func channelDidReceive(_ bytes: Span<UInt8>) {
        // Not even an acknowledgement, which would be a frame before the first.
        guard plan.connectFault != .noSettings else { return }
        reader.append(bytes)
        do throws(FaultFrameReader.StreamError) {
            while !isEnded, let frame = try reader.next() { handle(frame) }
        } catch {
            core.ledger.didBreakProtocol()
            channel.close()
        }
    }

    func channelDidEnd() {
        isEnded = true
        streams = [:]
        core.didEnd(self, number)
    }
}
