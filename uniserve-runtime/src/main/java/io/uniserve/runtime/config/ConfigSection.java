package io.uniserve.runtime.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigMemorySize;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Section of the configuration with typed, bounded getters. Their errors have file, line, key, value and the expected form. */
final class ConfigSection {
    private final Config config;
    private final String path;

    ConfigSection(Config config, String path) {
        this.config = config;
        this.path = path;
    }

    ConfigSection section(String key) {
        return new ConfigSection(config, path + "." + key);
    }

    String text(String key) {
        return get(key, "a text", () -> config.getString(path(key)));
    }

    String textNotEmpty(String key) {
        String text = text(key).strip();
        if (text.isEmpty()) {
            throw invalidValue(key, "a text that is not empty", null);
        }
        return text;
    }

    boolean flag(String key) {
        return get(key, "true or false", () -> config.getBoolean(path(key)));
    }

    int number(String key, int min, int max) {
        String expected = "a whole number from " + min + " to " + max;
        int number = get(key, expected, () -> config.getInt(path(key)));
        if (number < min || number > max) {
            throw invalidValue(key, expected, null);
        }
        return number;
    }

    double decimal(String key, double min, double max) {
        String expected = "a number from " + min + " to " + max;
        double number = get(key, expected, () -> config.getDouble(path(key)));
        if (!(number >= min && number <= max)) {
            throw invalidValue(key, expected, null);
        }
        return number;
    }

    /** Port number; 0 for any free port. */
    int port(String key) {
        return number(key, 0, 65_535);
    }

    Duration duration(String key, Duration min, Duration max) {
        String expected = "a duration with a unit (ns, us, ms, s, m, h) from " + show(min) + " to " + show(max);
        requireUnit(key, expected);
        Duration duration = get(key, expected, () -> config.getDuration(path(key)));
        if (duration.compareTo(min) < 0 || duration.compareTo(max) > 0) {
            throw invalidValue(key, expected, null);
        }
        return duration;
    }

    long bytes(String key, long min, long max) {
        String expected = "a size with a unit (B, KiB, MiB, GiB) from " + min + "B to " + max + "B";
        requireUnit(key, expected);
        ConfigMemorySize size = get(key, expected, () -> config.getMemorySize(path(key)));
        if (size.toBytes() < min || size.toBytes() > max) {
            throw invalidValue(key, expected, null);
        }
        return size.toBytes();
    }

    /** Percentage such as {@code 10%}, as a fraction. */
    double fraction(String key, double max) {
        String expected = "a share from 0% to " + Math.round(max * 100) + "%, such as 5%";
        String text = text(key).strip();
        if (!text.endsWith("%")) {
            throw invalidValue(key, expected, null);
        }
        try {
            double share = Double.parseDouble(text.substring(0, text.length() - 1)) / 100;
            if (share >= 0 && share <= max) {
                return share;
            }
        } catch (NumberFormatException e) {
            throw invalidValue(key, expected, e);
        }
        throw invalidValue(key, expected, null);
    }

    List<String> texts(String key) {
        return get(key, "a list of texts, such as [\"a\", \"b\"]", () -> config.getStringList(path(key)));
    }

    List<Address> addresses(String key) {
        return texts(key).stream().map(text -> address(key, text)).toList();
    }

    private Address address(String key, String text) {
        try {
            return Address.parse(text);
        } catch (UniserveException e) {
            throw invalidValue(key, "a list of HOST:PORT", e);
        }
    }

    Path file(String key) {
        return Path.of(textNotEmpty(key));
    }

    /** File name, empty for none. */
    Optional<Path> optionalFile(String key) {
        String text = text(key).strip();
        return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
    }

    /** All values of an object of objects as texts, by the outer key. */
    Map<String, Map<String, String>> textsByName(String key) {
        Map<String, Map<String, String>> all = new LinkedHashMap<>();
        get(key, "an object", () -> config.getObject(path(key))).keySet().stream()
                .sorted()
                .forEach(name -> {
                    Map<String, String> values = new LinkedHashMap<>();
                    Config object = get(
                            key + "." + name,
                            "an object",
                            () -> config.getConfig(path(key) + "." + ConfigUtil.quoteString(name)));
                    object.entrySet().stream()
                            .sorted(Map.Entry.comparingByKey())
                            .forEach(entry -> values.put(
                                    String.join(".", ConfigUtil.splitPath(entry.getKey())),
                                    String.valueOf(entry.getValue().unwrapped())));
                    all.put(name, values);
                });
        return all;
    }

    private String path(String key) {
        return path + "." + key;
    }

    /** Rejects a number without unit: the library would read it as milliseconds or bytes, which is rarely intended. */
    private void requireUnit(String key, String expected) {
        if (config.getValue(path(key)).unwrapped() instanceof Number) {
            throw invalidValue(key, expected, null);
        }
    }

    private <T> T get(String key, String expected, Supplier<T> getter) {
        try {
            return getter.get();
        } catch (ConfigException e) {
            throw invalidValue(key, expected, e);
        }
    }

    UniserveException invalidValue(String key, String expected, @Nullable Exception cause) {
        ConfigValue value = config.hasPath(path(key)) ? config.getValue(path(key)) : null;
        String shown = value == null ? "not set" : value.render(ConfigRenderOptions.concise());
        String origin = value == null ? "configuration" : value.origin().description();
        return new UniserveException(
                ErrorCode.INVALID_CONFIGURATION,
                origin + ": " + path(key) + " is " + shown + "; use " + expected,
                cause);
    }

    private static String show(Duration duration) {
        long millis = duration.toMillis();
        return millis % 3_600_000 == 0 && millis > 0
                ? millis / 3_600_000 + "h"
                : millis % 60_000 == 0 && millis > 0
                        ? millis / 60_000 + "m"
                        : millis % 1_000 == 0 ? millis / 1_000 + "s" : millis + "ms";
    }
}
