// Processes that are ended while they change the disk: only the disk shows their effect.
extension World {
    /// Runs one call of the app, in which the process is ended; all of it where the call has fewer steps.
    mutating func perform(
        _ call: Step.AppCall,
        _ launch: Step.Launch,
        endedAtStep step: Int
    ) throws -> Violation? {
        if call == .openSpooled { return try openSpooled(endedAtStep: step) }
        var finished = self
        var violation: Violation?
        let image = try stage.phone.folder.image(atStep: step) { _ in violation = try finished.perform(call, launch) }
        guard let image else {
            self = finished
            return violation
        }
        try end(leaving: image)
        switch call {
        case .confirmTime where try stage.phone.lastConfirmation() == now:
            (confirmed, confirmedAhead) = ((now, boot), 0)
        case .acknowledge: noteAcknowledgement()
        case .rotate: isRoomShort = isRingFull
        default: break
        }
        defer { isRoomShort = false }
        return try notePrekeys()
    }

    private mutating func openSpooled(endedAtStep step: Int) throws -> Violation? {
        var shown: [[UInt8]] = []
        var next: [UInt8]?
        let image = try stage.phone.folder.image(atStep: step) { isOver in
            try stage.phone.openSpooled(reading) { id in
                if isOver() { next = next ?? id } else { shown.append(id) }
            }
        }
        for id in shown {
            let isLast = image != nil && id == shown.last
            if let violation = noteSpooled(id, isLast ? .endedShowing : .shown) { return violation }
        }
        forgetExpired()
        guard let image else { return nil }
        try end(leaving: image)
        return next.flatMap { noteSpooled($0, .endedOpening) }
    }

    /// Runs the extension with a push, ended before it can answer.
    mutating func open(_ message: Int, endedAtStep step: Int) throws -> Violation? {
        var content: ModelPhone.Content?
        let image = try stage.phone.folder.image(atStep: step) { _ in
            content = stage.phone.receive(messages[message].push, reading)
        }
        guard let content else { return nil }
        guard let image else {
            if let violation = try note(message, content) { return violation }
            finish(message, content, .killed)
            return nil
        }
        try putBack(image)
        if let violation = judge(message, content.outcome) { return violation }
        guard content.outcome == .opened else { return nil }
        messages[message].openings.append(WorldMessage.Opening(at: now, boot: boot, end: .endedOpening))
        return nil
    }

    /// Runs the extension's step after the showing.
    mutating func show(_ message: Int, _ content: ModelPhone.Content, endedAtStep step: Int) throws {
        guard content.outcome == .opened else { return }
        let image = try stage.phone.folder.image(atStep: step) { _ in stage.phone.didShow(content) }
        if let image { try putBack(image) }
        finish(message, content, image == nil ? .shown : .endedShowing)
    }

    private mutating func end(leaving image: ModelFolder.Image) throws {
        try putBack(image)
        isAppRunning = false
    }

    private mutating func putBack(_ image: ModelFolder.Image) throws {
        try stage.phone.folder.putBack(image)
        endedCount += 1
    }
}
