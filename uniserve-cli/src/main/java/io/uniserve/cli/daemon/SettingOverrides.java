package io.uniserve.cli.daemon;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Settings by full key, from command line options. */
final class SettingOverrides {
    private final Map<String, String> values = new LinkedHashMap<>();

    /** Sets the key if the option was given. */
    SettingOverrides with(String key, @Nullable Object value) {
        if (value != null) {
            values.put("uniserve." + key, value.toString());
        }
        return this;
    }

    Map<String, String> values() {
        return values;
    }
}
