package sealedpush;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Devices' bundles, each with the relay's tag of it, so that {@link RelayClient#bundles} fetches only what changed. Safe
 * for threads.
 *
 * <p>It is not trusted: {@link Recipient#verify} checks a bundle at each use, against the pins too.
 */
public final class BundleCache {
    /** A bundle's text and tag, both of ASCII. */
    record Copy(String tag, String bundle) {
        private static final int BUNDLE_LENGTH_MAX = 3_784;

        /** True for a tag that a query may have, and a text that can be a bundle. */
        boolean isValid() {
            return tag.matches("[!-~]{1,64}") && bundle.length() <= BUNDLE_LENGTH_MAX && Base64Url.decode(bundle) != null;
        }

        byte[] bytes() {
            return Base64Url.decode(bundle);
        }
    }

    /** The copy that was used last at the end. */
    private final LinkedHashMap<String, Copy> copies;

    /**
     * Makes an empty cache. The copy that was used longest ago makes room for another. A copy has some 300 characters with
     * one prekey, at most 3,912.
     *
     * @param countMax devices; as many as the largest group has
     */
    public BundleCache(int countMax) {
        copies = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Copy> eldest) {
                return size() > countMax;
            }
        };
    }

    /** Removes a device's copy, so that it is fetched whole again: one that is refused may be damaged. */
    public synchronized void forget(String device) {
        copies.remove(device);
    }

    /** The copy of a device, or null. */
    synchronized Copy get(String device) {
        return copies.get(device);
    }

    synchronized void put(String device, Copy copy) {
        copies.put(device, copy);
    }

    /** Encodes the cache, for the caller to keep. It holds no secret, but shows whose devices there are. */
    public synchronized byte[] encoded() {
        var bundles = new ArrayList<Object>();
        copies.forEach((device, copy) -> {
            var members = new LinkedHashMap<String, Object>();
            members.put("device", device);
            members.put("etag", copy.tag);
            members.put("bundle", copy.bundle);
            bundles.add(members);
        });
        return Json.write(Map.of("bundles", bundles)).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Decodes a cache, whole or not at all.
     *
     * @throws BundleCacheException for other bytes; begin with an empty cache then, which costs a fetch
     */
    public static BundleCache decode(byte[] encoded, int countMax) throws BundleCacheException {
        var cache = new BundleCache(countMax);
        try {
            var saved = Json.as(Map.class, Json.parse(encoded));
            for (var element : Json.as(List.class, saved.get("bundles"))) {
                var members = Json.as(Map.class, element);
                var device = Json.as(String.class, members.get("device"));
                var copy = new Copy(Json.as(String.class, members.get("etag")),
                        Json.as(String.class, members.get("bundle")));
                if (!RelayClient.isId(device) || !copy.isValid()) throw new BundleCacheException();
                cache.put(device, copy);
            }
            return cache;
        } catch (Json.Refused notACache) {
            throw new BundleCacheException();
        }
    }
}
