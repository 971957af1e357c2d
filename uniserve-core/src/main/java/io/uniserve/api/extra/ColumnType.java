package io.uniserve.api.extra;

import io.uniserve.error.Printable;
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
 * The type of a column.
 *
 * @param precision digits of a decimal, 1 to {@value #PRECISION_MAX}; 0 for other kinds
 * @param scale of these the digits behind the point
 */
public record ColumnType(Kind kind, int precision, int scale) {
    /** Digits of a decimal at most: what a 128-bit integer holds. */
    public static final int PRECISION_MAX = 38;

    private static final Pattern DECIMAL = Pattern.compile("decimal\\s*\\(\\s*(\\d{1,2})\\s*,\\s*(\\d{1,2})\\s*\\)");
    private static final Pattern NUMBER = Pattern.compile("[-+]?\\d{1,40}(\\.\\d{0,40})?|[-+]?\\.\\d{1,40}");

    /** Digits that a long holds, whichever they are. */
    private static final int LONG_DIGITS = 18;

    private static final double EXACT_DOUBLE_MAX = 1L << 53;
    private static final Pattern WHOLE = Pattern.compile("[-+]?\\d{1,19}\\.0{0,40}");
    private static final int DAY_CHARS = 10;
    private static final int SHOWN_CHARS_MAX = 60;

    /** What values are, in documents and in an engine. */
    public enum Kind {
        /** Whole numbers of 64 bits. */
        BIGINT,
        /** Whole numbers of 32 bits. */
        INTEGER,
        /** Binary floating point of 64 bits, finite. */
        DOUBLE,
        /** Exact numbers; in documents a text, a whole number, or a double whose shortest text is taken. */
        DECIMAL,
        /** Texts of any length. */
        VARCHAR,
        /** Days; in documents a text such as 1998-12-01, of the years 1 to 9999. */
        DATE,
        /** True or false. */
        BOOLEAN
    }

    /** Reads {@code bigint}, {@code decimal(15,2)} and so on; INVALID_ARGUMENT for what is no type. */
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

    /** The type as SQL has it. */
    public String sql() {
        return kind == Kind.DECIMAL ? "DECIMAL(" + precision + "," + scale + ")" : kind.name();
    }

    /**
     * A document's value as a Long, Double, BigDecimal of this scale, String, LocalDate or Boolean.
     *
     * @throws IllegalArgumentException with a reason, where it is not of this type
     */
    public Object value(Object value) {
        return switch (kind) {
            case BIGINT -> whole(value);
            case INTEGER -> integer(whole(value));
            case DOUBLE -> real(value);
            case DECIMAL -> decimal(value);
            case VARCHAR -> need(String.class, value);
            case DATE -> date(need(String.class, value));
            case BOOLEAN -> need(Boolean.class, value);
        };
    }

    /**
     * A text of a file as a document's value, which {@link #value} takes.
     *
     * @throws IllegalArgumentException with a reason, where it is not of this type
     */
    public Object ofText(String text) {
        Object read = switch (kind) {
            case BIGINT, INTEGER -> whole(text);
            case DOUBLE -> real(text);
            case BOOLEAN -> bool(text);
            case DECIMAL, VARCHAR, DATE -> text;
        };
        Object checked = value(read);
        return checked instanceof Number && kind != Kind.DECIMAL ? checked : read;
    }

    private <T> T need(Class<T> type, Object value) {
        if (!type.isInstance(value)) {
            throw wrong(value);
        }
        return type.cast(value);
    }

    /** A number such as 7.0 is a whole one; beyond 2 to the 53rd a double may stand for several. */
    private Long whole(Object value) {
        if (value instanceof Double number && Math.abs(number) <= EXACT_DOUBLE_MAX && number == Math.rint(number)) {
            return number.longValue();
        }
        return need(Long.class, value);
    }

    private Long integer(Long value) {
        if (value < Integer.MIN_VALUE || value > Integer.MAX_VALUE) {
            throw wrong(value);
        }
        return value;
    }

    private Double real(Object value) {
        double number = value instanceof Long whole ? (double) whole : need(Double.class, value);
        if (!Double.isFinite(number)) {
            throw wrong(value);
        }
        return number;
    }

    private Double real(String text) {
        try {
            return Double.valueOf(text.strip());
        } catch (NumberFormatException e) {
            throw wrong(text);
        }
    }

    private Long whole(String text) {
        String number = text.strip();
        try {
            return Long.valueOf(WHOLE.matcher(number).matches() ? number.substring(0, number.indexOf('.')) : number);
        } catch (NumberFormatException e) {
            throw wrong(text);
        }
    }

    private Boolean bool(String text) {
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw wrong(text);
        };
    }

    private BigDecimal decimal(Object value) {
        if (value instanceof String text && precision <= LONG_DIGITS) {
            BigDecimal plain = plain(text);
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
            throw wrong(value);
        }
        BigDecimal least = exact.stripTrailingZeros();
        if (least.scale() > scale || least.precision() - least.scale() > precision - scale) {
            throw wrong(value);
        }
        return exact.setScale(scale, RoundingMode.UNNECESSARY);
    }

    /** A decimal of few digits, as nearly all are, without BigDecimal's reader; null where it is to look at the text. */
    private @Nullable BigDecimal plain(String text) {
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

    private LocalDate date(String text) {
        try {
            if (text.length() == DAY_CHARS && text.charAt(4) == '-' && text.charAt(7) == '-') {
                int year = digits(text, 0, 4);
                int month = digits(text, 5, 7);
                int day = digits(text, 8, DAY_CHARS);
                if (year > 0 && month > 0 && day > 0) {
                    return LocalDate.of(year, month, day);
                }
            }
        } catch (DateTimeException e) {
            throw wrong(text);
        }
        throw wrong(text);
    }

    /** The number that these characters are; -1 where one is no digit. */
    private static int digits(String text, int from, int to) {
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

    private IllegalArgumentException wrong(Object value) {
        return new IllegalArgumentException("\"" + Printable.line(String.valueOf(value), SHOWN_CHARS_MAX) + "\" is no "
                + sql().toLowerCase(Locale.ROOT));
    }
}
