package io.uniserve.runtime.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Check for unknown keys: only keys of the reference are allowed. An error suggests the nearest key. */
final class UnknownKeyChecker {
    private final Map<String, ConfigValueType> known;
    private final String freeSection;

    private UnknownKeyChecker(Map<String, ConfigValueType> known, String free) {
        this.known = known;
        this.freeSection = free;
    }

    /** Takes the keys of the reference; below {@code free} every key is allowed. */
    static UnknownKeyChecker of(Config reference, String free) {
        Map<String, ConfigValueType> known = new TreeMap<>();
        collect("", reference.root(), known);
        return new UnknownKeyChecker(known, free);
    }

    private static void collect(String prefix, ConfigObject object, Map<String, ConfigValueType> known) {
        object.forEach((key, value) -> {
            String path = join(prefix, key);
            known.put(path, value.valueType());
            if (value instanceof ConfigObject child) {
                collect(path, child, known);
            }
        });
    }

    /** Rejects unknown keys of {@code given}, and sections where values are expected or values where sections are expected. */
    void check(Config given, Config resolved) {
        check("", given.root(), resolved);
    }

    private void check(String prefix, ConfigObject object, Config resolved) {
        for (Map.Entry<String, ConfigValue> entry : object.entrySet()) {
            String path = join(prefix, entry.getKey());
            if (path.startsWith(freeSection + ".")) {
                continue;
            }
            ConfigValueType expected = known.get(path);
            if (expected == null) {
                throw Settings.invalid(unknown(path, entry.getValue()), null);
            }
            checkShape(path, expected, entry.getValue(), resolved);
            if (entry.getValue() instanceof ConfigObject child) {
                check(path, child, resolved);
            }
        }
    }

    private static void checkShape(String path, ConfigValueType expected, ConfigValue given, Config resolved) {
        // The resolved configuration has the values of substitutions. A substitution without a value leaves the
        // default.
        boolean isObject =
                resolved.hasPathOrNull(path) && resolved.getValue(path).valueType() == ConfigValueType.OBJECT;
        boolean wanted = expected == ConfigValueType.OBJECT;
        if (isObject != wanted) {
            throw Settings.invalid(
                    given.origin().description() + ": " + path
                            + (wanted ? " is a section, not a value" : " is a value, not a section"),
                    null);
        }
    }

    private String unknown(String path, ConfigValue value) {
        Optional<String> near = KeySuggester.nearest(path, known.keySet());
        return value.origin().description() + ": " + path + " is not a known key"
                + near.map(key -> "; did you mean " + key + "?").orElse("; reference.conf in the manual lists all");
    }

    private static String join(String prefix, String key) {
        String last = key.matches("[A-Za-z0-9_-]+") ? key : ConfigUtil.quoteString(key);
        return prefix.isEmpty() ? last : prefix + "." + last;
    }
}
