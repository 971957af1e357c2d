package io.uniserve.cli.process;

import java.util.HashMap;
import java.util.Map;

/** Settings of an auto-scaler that decides every second, and by bounds of the number of servers alone, not by loads. */
final class FastScaler {
    static final String KEY = "coordinator.scaling.";

    private FastScaler() {}

    /** Settings of a coordinator with this provider. */
    static Map<String, String> settings(String provider) {
        Map<String, String> all = new HashMap<>();
        all.put("coordinator.rebalance.period", "1s");
        all.put(KEY + "provider", provider);
        all.put(KEY + "add-above", "100%");
        all.put(KEY + "remove-below", "0%");
        all.put(KEY + "spare-servers", "0");
        all.put(KEY + "period", "1s");
        all.put(KEY + "pause", "1s");
        all.put(KEY + "reversal", "1s");
        all.put(KEY + "remove-periods", "1");
        all.put(KEY + "list-period", "500ms");
        return all;
    }

    static Map<String, String> bounds(int min, int max) {
        return Map.of(KEY + "servers-min", Integer.toString(min), KEY + "servers-max", Integer.toString(max));
    }
}
