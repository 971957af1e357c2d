package io.uniserve.sql.engine;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.extra.ColumnType;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMeta;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks that ports of SQL engines have in common. */
public final class SqlTableValidator {
    private static final Pattern DECIMAL = Pattern.compile("DECIMAL\\((\\d{1,2}),(\\d{1,2})\\)");

    private SqlTableValidator() {}

    /**
     * Returns a table's columns. Fails with INVALID_ARGUMENT if an option other than {@code columns} and {@code primary} is set, or is
     * invalid.
     */
    public static ColumnSchema check(String port, TableMeta meta) {
        Set<String> unknown = new TreeSet<>(meta.options().keySet());
        unknown.removeAll(Set.of(ColumnSchema.OPTION, ColumnSchema.OPTION_PRIMARY));
        if (!unknown.isEmpty()) {
            throw UniserveException.invalid("port " + port + " has no table option "
                    + unknown.iterator().next() + ": use " + ColumnSchema.OPTION + " and "
                    + ColumnSchema.OPTION_PRIMARY);
        }
        ColumnSchema known = ColumnSchema.of(meta);
        if (known.columns().isEmpty()) {
            throw UniserveException.invalid("table option columns is empty");
        }
        return known;
    }

    /** Fails with INVALID_ARGUMENT if a port's section of the configuration has an unknown setting. */
    public static void checkSettings(String port, Map<String, String> settings, Set<String> known) {
        Set<String> unknown = new TreeSet<>(settings.keySet());
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            throw UniserveException.invalid(
                    "port " + port + " has no setting " + unknown.iterator().next() + ": "
                            + (known.isEmpty() ? "it has none" : "use " + String.join(", ", known)));
        }
    }

    /**
     * Returns the types of an answer's columns, for engines that name them as {@link ColumnType#sqlName} does. Fails with CORRUPT for others.
     */
    public static List<ColumnType> columnTypes(List<String> names) {
        return names.stream().map(SqlTableValidator::columnType).toList();
    }

    private static ColumnType columnType(String name) {
        Matcher decimal = DECIMAL.matcher(name);
        if (decimal.matches()) {
            return new ColumnType(
                    ColumnType.Kind.DECIMAL, Integer.parseInt(decimal.group(1)), Integer.parseInt(decimal.group(2)));
        }
        try {
            return new ColumnType(ColumnType.Kind.valueOf(name), 0, 0);
        } catch (IllegalArgumentException e) {
            throw new UniserveException(ErrorCode.CORRUPT, "the rows have values of unknown type " + name, e);
        }
    }
}
