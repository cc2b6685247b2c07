package sealedpush;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Pins that are lost with the process, and with them the protection from old bundles: for tests. */
public final class MemoryBundlePinStore implements BundlePinStore {
    private final Map<List<Object>, BundlePin> pins = new HashMap<>();

    @Override
    public synchronized void update(IdentityKey identity, BundleId topic, Change change) throws BundleException {
        var slot = List.<Object>of(identity, topic);
        var pin = change.apply(pins.get(slot));
        if (pin == null) pins.remove(slot);
        else pins.put(slot, pin);
    }
}
