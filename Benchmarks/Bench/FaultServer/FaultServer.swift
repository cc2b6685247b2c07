package import APNSSimulator
package import Transport

/// With what certificates the fault server meets its callers.
package struct FaultIdentities: Sendable {
    let right: TLSContext
    let wrong: [FaultCertificate: TLSContext]

    /// - Parameters:
    ///   - right: a server's, with `h2` as its protocol; clients trust it.
    ///   - wrong: likewise, each with its fault; one that is missing is replaced by the right one.
    package init(right: TLSContext, wrong: [FaultCertificate: TLSContext] = [:]) {
        self.right = right
        self.wrong = wrong
    }

    func context(for fault: ConnectFault?) -> TLSContext {
        guard case .certificate(let fault) = fault else { return right }
        return wrong[fault] ?? right
    }
}

/// A server that speaks APNs's protocol and goes wrong as its plan says, over real sockets; and knows the truth.
package final class FaultServer: Sendable {
    /// Of 127.0.0.1.
    package let port: UInt16
    private let core: LoopBound<FaultServerCore>

    /// - Parameters:
    ///   - plan: what goes wrong when.
    ///   - identities: with what certificates.
    ///   - loop: everything of the server lives on it.
    /// - Returns: the server, which listens until it is closed or dropped.
    /// - Throws: `.system`.
    package static func start(
        _ plan: FaultPlan,
        identities: FaultIdentities,
        loop: EventLoop
    ) async throws(TransportError) -> FaultServer {
        let core = LoopBound(FaultServerCore(plan, identities, loop), to: loop)
        let port = await loop.run { Result { () throws(TransportError) in try core.value.open() } }
        return FaultServer(port: try port.get(), core: core)
    }

    private init(port: UInt16, core: LoopBound<FaultServerCore>) {
        self.port = port
        self.core = core
    }

    deinit {
        let core = core
        core.loop.perform { core.value.close() }
    }

    /// The truth so far.
    package func ledger() async -> FaultLedger {
        let core = core
        return await core.loop.run { core.value.ledger }
    }

    /// Goes on with another plan: for the requests and connections that come from now on.
    package func follow(_ plan: FaultPlan) async {
        let core = core
        await core.loop.run { core.value.plan = plan }
    }

    /// Carries out a fault on every connection that is open.
    package func carryOut(_ fault: ConnectionFault) async {
        let core = core
        await core.loop.run { core.value.carryOut(fault) }
    }

    /// Resets every connection and frees the port.
    package func close() async {
        let core = core
        await core.loop.run { core.value.close() }
    }
}
