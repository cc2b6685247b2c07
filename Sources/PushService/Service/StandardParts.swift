import PushStore
import Transport

extension Service {
    package static let standardParts: ServicePartsFactory = { base throws(ServiceError) in
        let hooks = TenantHooks(base.context)
        let bells = DispatchBells(hooks: { hooks.hooks.ring() }, fallbacks: { hooks.fallbacks.ring() })
        let dispatcher = Dispatcher(base.context, bells: bells)
        let quota = QuotaBook(base.context)
        let pulse = StorePulse(base.context, base.store)
        let application = APIApplication(base.context, door: dispatcher, quota: quota) { pulse.vitals }
        let front = FrontPart(base.context, base.loaded, application)
        // A restored store accepts no writes: other parts would only log failures.
        if base.store.health == .restored { return [front] }
        return [
            HooksPart(hooks), DispatchPart(dispatcher, base.loaded),
            UpkeepPart(base.context, quota: quota, bells: bells, pulse), front,
        ]
    }
}
