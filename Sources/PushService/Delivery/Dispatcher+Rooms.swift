import APNSProvider

extension Dispatcher {
    /// At the start of a turn.
    func readRooms() {
        for number in flow.clients { readRoom(of: number) }
    }

    func readRoom(of number: Int) {
        let room = lanes.entry(number: number)?.client.room
        // It stopped without a push of ours.
        if case .suspended(let reason) = room, !suspensions.contains(lane: number) {
            suspend(SuspensionTable.Scope(lane: number, bundleID: nil), reason)
        }
        flow.rooms.update(number, room)
    }

    /// Asks clients without room to connect or grow. At a turn's end.
    func wantRooms() {
        guard !flow.isDraining else { return }
        for number in flow.clients where !flow.rooms.admits(number) {
            lanes.entry(number: number)?.client.want(flow.waitingCount(for: number))
        }
    }
}
