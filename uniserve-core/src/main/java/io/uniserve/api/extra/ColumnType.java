package io.uniserve.api.extra;

import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Type of a column: converts values of documents and texts of files to Java values. Immutable.
 *
 * @param kind the kind of type
 * @param precision digits of a decimal, 1 to {@value #PRECISION_MAX}; 0 for other kinds
 * @param scale digits of a decimal after the point; 0 for other kinds
 */
public record ColumnType(Kind kind, int precision, int scale) {
    /** Maximum precision of decimals: the digits that always fit into a 128-bit integer. */
    public static final int PRECISION_MAX = 38;

    private static final Pattern DECIMAL = Pattern.compile("decimal\\s*\\(\\s*(\\d{1,2})\\s*,\\s*(\\d{1,2})\\s*\\)");
    private static final Pattern NUMBER = Pattern.compile("[-+]?\\d{1,40}(\\.\\d{0,40})?|[-+]?\\.\\d{1,40}");

    /** Number of digits that always fit into a long. */
    private static final int LONG_DIGITS = 18;

    private static final double EXACT_DOUBLE_MAX = 1L << 53;
    private static final Pattern INTEGER_TEXT = Pattern.compile("[-+]?\\d{1,19}\\.0{0,40}");
    private static final int DAY_CHARS = 10;
    private static final int SHOWN_CHARS_MAX = 60;

    /** Kinds of types, with their representation in documents. */
    public enum Kind {
        /** Integers of 64 bits. */
        BIGINT,
        /** Integers of 32 bits. */
        INTEGER,
        /** Finite binary floating-point numbers of 64 bits. */
        DOUBLE,
        /** Exact decimals; in documents a text, an integer, or a double, which counts as its shortest decimal text. */
        DECIMAL,
        /** Texts of any length. */
        VARCHAR,
        /** Dates of the years 1 to 9999; in documents a text such as 1998-12-01. */
        DATE,
        /** True or false. */
        BOOLEAN
    }

    /**
     * Parses a type such as {@code bigint} or {@code decimal(15,2)}.
     *
     * @throws UniserveException INVALID_ARGUMENT for any other text
     */
    static ColumnType parse(String text) {
        String name = text.strip().toLowerCase(Locale.ROOT);
        Matcher decimal = DECIMAL.matcher(name);
        if (decimal.matches()) {
            int precision = Integer.parseInt(decimal.group(1));
            int scale = Integer.parseInt(decimal.group(2));
            if (precision >= 1 && precision <= PRECISION_MAX && scale <= precision) {
                return new ColumnType(Kind.DECIMAL, precision, scale);
            }
        }
        for (Kind kind : Kind.values()) {
            if (kind != Kind.DECIMAL && kind.name().toLowerCase(Locale.ROOT).equals(name)) {
                return new ColumnType(kind, 0, 0);
            }
        }
        throw UniserveException.invalid("\"" + text.strip()
                + "\" is no type: use bigint, integer, double, decimal(P,S) with P up to " + PRECISION_MAX
                + ", varchar, date or boolean");
    }

    /** The name of the type in SQL. */
    public String sqlName() {
        return kind == Kind.DECIMAL ? "DECIMAL(" + precision + "," + scale + ")" : kind.name();
    }

    /**
     * Converts the value of a document to a Long, Double, BigDecimal of this scale, String, LocalDate or Boolean.
     *
     * @throws IllegalArgumentException with a reason, if the value does not have this type
     */
    public Object toColumnValue(Object value) {
        return switch (kind) {
            case BIGINT -> toLong(value);
            case INTEGER -> checkIntRange(toLong(value));
            case DOUBLE -> toDouble(value);
            case DECIMAL -> toDecimal(value);
            case VARCHAR -> requireType(String.class, value);
            case DATE -> parseDate(requireType(String.class, value));
            case BOOLEAN -> requireType(Boolean.class, value);
        };
    }

    /**
     * Converts a text of a file to a document's value, which {@link #toColumnValue} accepts.
     *
     * @throws IllegalArgumentException with a reason, if the text does not have this type
     */
    public Object parseText(String text) {
        Object read = switch (kind) {
            case BIGINT, INTEGER -> toLong(text);
            case DOUBLE -> toDouble(text);
            case BOOLEAN -> parseBoolean(text);
            case DECIMAL, VARCHAR, DATE -> text;
        };
        Object checked = toColumnValue(read);
        return checked instanceof Number && kind != Kind.DECIMAL ? checked : read;
    }

    private <T> T requireType(Class<T> type, Object value) {
        if (!type.isInstance(value)) {
            throw invalidValue(value);
        }
        return type.cast(value);
    }

    /** Accepts a number such as 7.0 as an integer. A double beyond 2^53 may stand for several integers and is rejected. */
    private Long toLong(Object value) {
        if (value instanceof Double number && Math.abs(number) <= EXACT_DOUBLE_MAX && number == Math.rint(number)) {
            return number.longValue();
        }
        return requireType(Long.class, value);
    }

    private Long checkIntRange(Long value) {
        if (value < Integer.MIN_VALUE || value > Integer.MAX_VALUE) {
            throw invalidValue(value);
        }
        return value;
    }

    private Double toDouble(Object value) {
        double number = value instanceof Long whole ? (double) whole : requireType(Double.class, value);
        if (!Double.isFinite(number)) {
            throw invalidValue(value);
        }
        return number;
    }

    private Double toDouble(String text) {
        try {
            return Double.valueOf(text.strip());
        } catch (NumberFormatException e) {
            throw invalidValue(text);
        }
    }

    private Long toLong(String text) {
        String number = text.strip();
        try {
            return Long.valueOf(
                    INTEGER_TEXT.matcher(number).matches() ? number.substring(0, number.indexOf('.')) : number);
        } catch (NumberFormatException e) {
            throw invalidValue(text);
        }
    }

    private Boolean parseBoolean(String text) {
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw invalidValue(text);
        };
    }

    private BigDecimal toDecimal(Object value) {
        if (value instanceof String text && precision <= LONG_DIGITS) {
            BigDecimal plain = parseShortDecimal(text);
            if (plain != null) {
                return plain;
            }
        }
        BigDecimal exact;
        if (value instanceof Long whole) {
            exact = BigDecimal.valueOf(whole);
        } else if (value instanceof Double real && Double.isFinite(real)) {
            exact = BigDecimal.valueOf(real);
        } else if (value instanceof String text && NUMBER.matcher(text.strip()).matches()) {
            exact = new BigDecimal(text.strip());
        } else {
            throw invalidValue(value);
        }
        BigDecimal least = exact.stripTrailingZeros();
        if (least.scale() > scale || least.precision() - least.scale() > precision - scale) {
            throw invalidValue(value);
        }
        return exact.setScale(scale, RoundingMode.UNNECESSARY);
    }

    /** Fast path for decimals of few digits, without parsing by BigDecimal; null if the text needs the general path. */
    private @Nullable BigDecimal parseShortDecimal(String text) {
        int at = text.startsWith("-") ? 1 : 0;
        long unscaled = 0;
        int whole = 0;
        int behind = -1;
        if (text.length() > LONG_DIGITS || text.length() == at) {
            return null;
        }
        for (int i = at; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '.' && behind < 0 && whole > 0) {
                behind = 0;
            } else if (c >= '0' && c <= '9') {
                unscaled = unscaled * 10 + (c - '0');
                whole += behind < 0 ? 1 : 0;
                behind += behind < 0 ? 0 : 1;
            } else {
                return null;
            }
        }
        int digits = Math.max(0, behind);
        if (digits > scale || whole > precision - scale) {
            return null;
        }
        for (; digits < scale; digits++) {
            unscaled *= 10;
        }
        return BigDecimal.valueOf(at == 0 ? unscaled : -unscaled, scale);
    }

    private LocalDate parseDate(String text) {
        try {
            if (text.length() == DAY_CHARS && text.charAt(4) == '-' && text.charAt(7) == '-') {
                int year = parseDigits(text, 0, 4);
                int month = parseDigits(text, 5, 7);
                int day = parseDigits(text, 8, DAY_CHARS);
                if (year > 0 && month > 0 && day > 0) {
                    return LocalDate.of(year, month, day);
                }
            }
        } catch (DateTimeException e) {
            throw invalidValue(text);
        }
        throw invalidValue(text);
    }

    /** Parses decimal digits; -1 if a character is not a digit. */
    private static int parseDigits(String text, int from, int to) {
        int number = 0;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            number = number * 10 + (c - '0');
        }
        return number;
    }

    private IllegalArgumentException invalidValue(Object value) {
        return new IllegalArgumentException("\"" + PrintableText.line(String.valueOf(value), SHOWN_CHARS_MAX)
                + "\" is no " + sqlName().toLowerCase(Locale.ROOT));
    }
}
