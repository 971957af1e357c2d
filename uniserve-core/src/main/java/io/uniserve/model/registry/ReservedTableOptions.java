package io.uniserve.model.registry;

import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import java.util.Map;
import java.util.TreeMap;

/**
 * Options of a table that Uniserve evaluates itself. Their names start with {@link #PREFIX}. Ports do not see them, and they can change at
 * any time, for every port and level.
 *
 * <p>Example: {@code uniserve table create t -O uniserve.automatic-copies=off}.
 */
public final class ReservedTableOptions {
    /** Start of all names. */
    public static final String PREFIX = "uniserve.";

    /** {@code on} (the default) or {@code off}: whether hot actors of the table get copies automatically. */
    public static final String AUTOMATIC_COPIES = PREFIX + "automatic-copies";

    private static final String ON = "on";
    private static final String OFF = "off";

    private ReservedTableOptions() {}

    /** True if the option is not one of the port. */
    public static boolean isReserved(String option) {
        return option.startsWith(PREFIX);
    }

    /** Returns the definition that a port gets, without the reserved options. */
    public static TableMeta withoutReserved(TableMeta meta) {
        if (meta.options().keySet().stream().noneMatch(ReservedTableOptions::isReserved)) {
            return meta;
        }
        Map<String, String> options = new TreeMap<>(meta.options());
        options.keySet().removeIf(ReservedTableOptions::isReserved);
        return meta.with(options);
    }

    /**
     * Checks names and values of the reserved options.
     *
     * @throws UniserveException INVALID_ARGUMENT with the option, its value and the permitted ones
     */
    public static void check(Map<String, String> options) {
        options.forEach((option, value) -> {
            if (isReserved(option) && !option.equals(AUTOMATIC_COPIES)) {
                throw UniserveException.invalid("table option " + PrintableText.line(option)
                        + " is unknown: options of Uniserve are " + AUTOMATIC_COPIES);
            }
            if (option.equals(AUTOMATIC_COPIES) && !value.equals(ON) && !value.equals(OFF)) {
                throw UniserveException.invalid("table option " + AUTOMATIC_COPIES + " is " + PrintableText.line(value)
                        + ": use " + ON + " or " + OFF);
            }
        });
    }

    /** True if hot actors of the table get copies automatically. */
    public static boolean hasAutomaticCopies(TableMeta meta) {
        return !OFF.equals(meta.options().get(AUTOMATIC_COPIES));
    }
}
