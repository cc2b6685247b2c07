import APNS
import APNSSimulator
import Networking

extension FaultConnection {
    func carryOut(_ fault: ConnectionFault) {
        guard !isEnded else { return }
        switch fault {
        case .goAway(let goAway): carryOut(goAway)
        case .settings(let settings): carryOut(settings)
        case .blackhole: channel.turnIntoBlackhole()
        case .reset: channel.reset()
        case .cut: channel.cut()
        case .close: channel.close()
        case .alert: channel.alert()
        case .corruptRecord: channel.corruptRecord()
        case .deaf(let duration):
            channel.setDeaf(true)
            loop.schedule(after: duration) { [weak self] in self?.channel.setDeaf(false) }
        }
    }

    // MARK: GOAWAY

    private func carryOut(_ goAway: FaultGoAway) {
        guard !isDraining else { return }
        guard let delay = goAway.gracefulDelay else { return finish(goAway) }
        write([.goAway(lastStreamID: .max, code: 0, [])])
        loop.schedule(after: delay) { [weak self] in
            guard let self, !self.isEnded, !self.isDraining else { return }
            self.finish(goAway)
        }
    }

    private func finish(_ goAway: FaultGoAway) {
        lastStreamID = lastStreamID(for: goAway.cut)
        write([.goAway(lastStreamID: lastStreamID, code: goAway.code, goAway.debugData.bytes)])
        isDraining = true
        if let delay = goAway.cutDelay {
            loop.schedule(after: delay) { [weak self] in self?.channel.cut() }
        }
        refuseStreams()
    }

    private func lastStreamID(for cut: FaultGoAway.Cut) -> Int32 {
        switch cut {
        case .processed: highestProcessed
        case .middle: Self.streamID((Self.ordinal(highestProcessed) + Self.ordinal(highestReceived)) / 2)
        case .received: highestReceived
        case .above: Self.streamID(Self.ordinal(highestReceived) + 100)
        }
    }

    /// A client's streams have odd numbers; 0 is none.
    private static func ordinal(_ streamID: Int32) -> Int32 { (streamID + 1) / 2 }

    private static func streamID(_ ordinal: Int32) -> Int32 { max(0, 2 * ordinal - 1) }

    // MARK: SETTINGS

    private func carryOut(_ settings: FaultSettings) {
        switch settings {
        case .streams(let count, let refusesRest):
            announceStreams(count)
            guard refusesRest else { return }
            let rest = streams.filter { !$0.value.isProcessed && !$0.value.isSettled }.keys.sorted()
            for streamID in rest.dropFirst(Int(count)) { reset(streamID, code: 7) }
        case .noStreams(let duration):
            let before = max(1, streamCountMax)
            announceStreams(0)
            loop.schedule(after: duration) { [weak self] in self?.announceStreams(before) }
        case .windowShut(let duration):
            announce([(.initialWindowSize, 0)])
            loop.schedule(after: duration) { [weak self] in self?.announce([(.initialWindowSize, 65_535)]) }
        case .noHeaderTable: announce([(.headerTableSize, 0)])
        case .storm(let count):
            let before = max(1, streamCountMax)
            for index in 1..<max(count, 1) { announceStreams(UInt32([0, 1, 1000, 2][index % 4])) }
            announceStreams(before)
        }
    }
}

extension FaultGoAway.DebugData {
    fileprivate var bytes: [UInt8] {
        switch self {
        case .none: []
        case .reason(let reason): RejectionBody(reason).json
        case .notJSON: Array("Maximum active streams violated".utf8) + [0, 0xFF, UInt8(ascii: "{")]
        // The frame has eight more.
        case .large: [UInt8](repeating: UInt8(ascii: "x"), count: FaultFrame.payloadByteCountMax - 8)
        }
    }
}
