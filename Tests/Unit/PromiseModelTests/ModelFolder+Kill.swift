import CDiskSteps

extension ModelFolder {
    /// The files that a process leaves when it is ended at one of its disk steps: before a write, in the middle of it,
    /// before its sync, before and after a rename or a removal. Step 0 is before the first change. The process itself
    /// runs to its end, and can ask whether that is after the step.
    ///
    /// - Returns: the files at that step; nil where `body` has fewer steps.
    func image(atStep number: Int, of body: (_ isOver: () -> Bool) throws -> Void) throws -> Image? {
        let steps = StepCounter { [self] in try image() }
        steps.wanted = number
        let context = unsafe Unmanaged.passUnretained(steps).toOpaque()
        unsafe disk_steps_watch(
            { context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<StepCounter>.fromOpaque(context).takeUnretainedValue().step()
            },
            context
        )
        let result = Result { try body { steps.image != nil } }
        disk_steps_ignore()
        try withExtendedLifetime(steps) { try result.get() }
        return try steps.image?.get()
    }
}

private final class StepCounter {
    private let take: () throws -> ModelFolder.Image
    var wanted = 0
    private var count = 0
    private(set) var image: Result<ModelFolder.Image, any Error>?

    init(_ take: @escaping () throws -> ModelFolder.Image) { self.take = take }

    func step() {
        if count == wanted { image = Result(catching: take) }
        count += 1
    }
}
