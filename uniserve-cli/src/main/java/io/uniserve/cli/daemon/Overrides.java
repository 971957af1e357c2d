package io.uniserve.cli.daemon;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Settings by full key, from options that were given. */
final class Overrides {
    private final Map<String, String> values = new LinkedHashMap<>();

    /** Sets the key where the option was given. */
    Overrides with(String key, @Nullable Object value) {
        if (value != null) {
            values.put("uniserve." + key, value.toString());
        }
        return this;
    }

    Map<String, String> values() {
        return values;
    }
}
