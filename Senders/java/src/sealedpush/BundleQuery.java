package sealedpush;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Body of {@code POST /v1/bundles/query}, and the reader of its answer.
 *
 * <p>It keeps the copies that it names: another thread may change the cache before the answer is there.
 */
final class BundleQuery {
    static final int DEVICE_COUNT_MAX = 1_000;

    private final List<String> devices;
    private final List<BundleCache.Copy> copies = new ArrayList<>();
    private final BundleCache cache;

    /**
     * Takes the copies of the cache.
     *
     * @param devices 1 to 1,000 ids
     */
    BundleQuery(List<String> devices, BundleCache cache) {
        this.devices = devices;
        this.cache = cache;
        for (var device : devices) copies.add(cache.get(device));
    }

    String json() {
        var items = new ArrayList<Object>();
        for (int i = 0; i < devices.size(); i++) {
            var item = new LinkedHashMap<String, Object>();
            item.put("device", devices.get(i));
            if (copies.get(i) != null) item.put("etag", copies.get(i).tag());
            items.add(item);
        }
        return Json.write(Map.of("devices", items));
    }

    /** Returns the bundles by device, in its order, and brings the cache up to date. */
    Map<String, byte[]> read(byte[] answer) throws Json.Refused {
        var bundles = new LinkedHashMap<String, byte[]>();
        var elements = Json.as(List.class, Json.as(Map.class, Json.parse(answer)).get("bundles"));
        if (elements.size() != devices.size()) throw new Json.Refused();
        for (int i = 0; i < devices.size(); i++) {
            var members = Json.as(Map.class, elements.get(i));
            var device = devices.get(i);
            if (!device.equals(members.get("device"))) throw new Json.Refused();
            var copy = switch (Json.as(String.class, members.get("state"))) {
                case "missing" -> null;
                case "unchanged" -> Json.as(BundleCache.Copy.class, copies.get(i));
                case "current" -> fetched(members);
                default -> throw new Json.Refused();
            };
            if (copy == null) {
                cache.forget(device);
                continue;
            }
            if (copy != copies.get(i)) cache.put(device, copy);
            bundles.put(device, copy.bytes());
        }
        return bundles;
    }

    private static BundleCache.Copy fetched(Map<?, ?> members) throws Json.Refused {
        var copy = new BundleCache.Copy(Json.as(String.class, members.get("etag")),
                Json.as(String.class, members.get("bundle")));
        if (!copy.isValid()) throw new Json.Refused();
        return copy;
    }
}
