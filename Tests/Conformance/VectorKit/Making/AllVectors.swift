/// Every vector, in the order of the specification.
package enum AllVectors {
    /// - Throws: `TwoVectors` for two vectors of one name.
    package static func make() throws -> [Vector] {
        let vectors =
            try SealVectors.make() + SealedFieldVectors.make() + EncryptionVectors.make() + FrameVectors.make()
            + TimeVectors.make() + ReplayVectors.make() + OperationVectors.make() + RightsVectors.make()
            + BodyVectors.make() + AttachmentVectors.make() + AttachmentURLVectors.make()
            + AttachmentStreamVectors.make() + BundleVectors.make() + AnnouncementVectors.make()
            + CodecVectors.make() + WebPushVectors.make()
        var names: Set<String> = []
        for vector in vectors where !names.insert(vector.name).inserted { throw TwoVectors(name: vector.name) }
        return vectors
    }

    struct TwoVectors: Error {
        let name: String
    }
}
