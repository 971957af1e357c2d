package io.uniserve.sql.rows;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Column of an answer: numbers of 64 bits if the type and all values allow it, otherwise texts. The engine need not parse numbers again.
 * Immutable and thread-safe.
 */
public final class SqlColumn {
    private static final long[] NONE = {};

    private final String type;
    private final int count;
    private final BitSet nulls;
    private final boolean isNumbers;
    private final long[] numbers;
    private final List<@Nullable String> texts;

    SqlColumn(String type, int count, BitSet nulls, long[] numbers) {
        this(type, count, nulls, true, numbers, List.of());
    }

    /** Creates a column of texts; null for NULL. */
    SqlColumn(String type, List<@Nullable String> texts) {
        this(type, texts.size(), nulls(texts), false, NONE, texts);
    }

    private SqlColumn(
            String type, int count, BitSet nulls, boolean isNumbers, long[] numbers, List<@Nullable String> texts) {
        this.type = type;
        this.count = count;
        this.nulls = nulls;
        this.isNumbers = isNumbers;
        this.numbers = numbers;
        this.texts = texts;
    }

    private static BitSet nulls(List<@Nullable String> texts) {
        BitSet nulls = new BitSet();
        for (int row = 0; row < texts.size(); row++) {
            if (texts.get(row) == null) {
                nulls.set(row);
            }
        }
        return nulls;
    }

    /** True for types whose values a column can store as numbers of 64 bits. */
    public static boolean hasNumbers(String type) {
        return switch (type) {
            case "BIGINT", "INTEGER", "SMALLINT", "TINYINT", "HUGEINT", "DATE", "BOOLEAN", "DOUBLE" -> true;
            default -> type.startsWith("DECIMAL(");
        };
    }

    /** Type as the engine names it, such as DECIMAL(38,2). */
    public String type() {
        return type;
    }

    /** Number of rows. */
    public int count() {
        return count;
    }

    /** True if {@link #number} is available; otherwise only {@link #text} is. */
    public boolean isNumbers() {
        return isNumbers;
    }

    /** True if the row's value is NULL. */
    public boolean isNull(int row) {
        return nulls.get(row);
    }

    /** Returns a number, an unscaled decimal, the bits of a double, days since 1970, or 1 for true. Undefined for NULL. */
    public long number(int row) {
        return numbers[row];
    }

    /** Returns a value as a text that an engine reads back exactly; null for NULL. */
    public @Nullable String text(int row) {
        if (nulls.get(row)) {
            return null;
        }
        if (!isNumbers) {
            return texts.get(row);
        }
        long number = numbers[row];
        return switch (type) {
            case "DATE" -> LocalDate.ofEpochDay(number).toString();
            case "BOOLEAN" -> number == 0 ? "false" : "true";
            case "DOUBLE" -> Double.toString(Double.longBitsToDouble(number));
            default ->
                type.startsWith("DECIMAL(")
                        ? BigDecimal.valueOf(number, scale(type)).toPlainString()
                        : Long.toString(number);
        };
    }

    /** Returns the scale of a decimal type that {@link SqlRows} accepts. */
    public static int scale(String decimal) {
        return Integer.parseInt(decimal.substring(decimal.indexOf(',') + 1, decimal.length() - 1));
    }

    BitSet nulls() {
        return BitSet.valueOf(nulls.toLongArray()); // clone() would trim the original
    }

    /** Concatenates columns of the same type. */
    static SqlColumn concat(List<SqlColumn> parts) {
        if (parts.size() == 1) {
            return parts.get(0);
        }
        if (parts.stream().allMatch(SqlColumn::isNumbers)) {
            return numbers(parts);
        }
        Builder all = new Builder(parts.get(0).type);
        for (SqlColumn part : parts) {
            for (int row = 0; row < part.count; row++) {
                all.add(part, row);
            }
        }
        return all.build();
    }

    private static SqlColumn numbers(List<SqlColumn> parts) {
        long[] all = new long[parts.stream().mapToInt(SqlColumn::count).sum()];
        BitSet nulls = new BitSet();
        int at = 0;
        for (SqlColumn part : parts) {
            System.arraycopy(part.numbers, 0, all, at, part.count);
            for (int row = part.nulls.nextSetBit(0); row >= 0; row = part.nulls.nextSetBit(row + 1)) {
                nulls.set(at + row);
            }
            at += part.count;
        }
        return new SqlColumn(parts.get(0).type, all.length, nulls, all);
    }

    /** Returns the rows at these positions. */
    public SqlColumn select(int[] rows) {
        if (!isNumbers) {
            List<@Nullable String> some = new ArrayList<>(rows.length);
            for (int row : rows) {
                some.add(texts.get(row));
            }
            return new SqlColumn(type, Collections.unmodifiableList(some));
        }
        long[] some = new long[rows.length];
        BitSet none = new BitSet();
        for (int i = 0; i < rows.length; i++) {
            some[i] = numbers[rows[i]];
            if (nulls.get(rows[i])) {
                none.set(i);
            }
        }
        return new SqlColumn(type, some.length, none, some);
    }

    /** Builder of a column. Not thread-safe. */
    public static final class Builder {
        private static final int ROOM = 16;
        private static final int NUMBER_BYTES = Long.BYTES + 1;
        private static final int TEXT_BYTES = 4;
        private static final int LONG_DIGITS = 18;

        private final String type;
        private final boolean hasNumbers;
        private final int scale;
        private final BitSet nulls = new BitSet();
        private int count;
        private boolean isNumbers;
        private long[] numbers;
        private List<@Nullable String> texts = new ArrayList<>();

        /** Starts without values. */
        public Builder(String type) {
            this.type = type;
            this.hasNumbers = hasNumbers(type);
            this.scale = type.startsWith("DECIMAL(") ? scale(type) : 0;
            this.isNumbers = hasNumbers;
            this.numbers = hasNumbers ? new long[ROOM] : NONE;
        }

        /**
         * Adds a value of a JDBC driver, such as a Long, BigDecimal or LocalDate; other types as texts.
         *
         * @return the maximum encoded size in bytes; for a text its characters plus four
         */
        public int add(@Nullable Object value) {
            if (value == null) {
                addNull();
            } else if (value instanceof Double number) {
                add(Double.doubleToRawLongBits(number));
            } else if (value instanceof BigDecimal number && number.precision() <= LONG_DIGITS) {
                BigDecimal scaled = number.setScale(scale);
                add(scaled.scaleByPowerOfTen(scale).longValue());
            } else if (value instanceof BigDecimal number) {
                return addWide(number.toPlainString());
            } else if (value instanceof BigInteger number && number.bitLength() >= Long.SIZE) {
                return addWide(number.toString());
            } else if (value instanceof Number number && hasNumbers) {
                add(number.longValue());
            } else if (value instanceof LocalDate day && hasNumbers) {
                add(day.toEpochDay());
            } else if (value instanceof Boolean known) {
                add(known ? 1 : 0);
            } else {
                return addWide(value.toString());
            }
            return NUMBER_BYTES;
        }

        private int addWide(String text) {
            addText(text);
            return TEXT_BYTES + text.length();
        }

        /** Adds a value of a type for which {@link SqlColumn#hasNumbers} is true. */
        public void add(long number) {
            if (!isNumbers) {
                addText(new SqlColumn(type, 1, new BitSet(), new long[] {number}).text(0));
                return;
            }
            ensureCapacity();
            numbers[count++] = number;
        }

        /** Adds NULL. */
        public void addNull() {
            if (isNumbers) {
                ensureCapacity();
            } else {
                texts.add(null);
            }
            nulls.set(count++);
        }

        /** Adds a value that is not a number of 64 bits; converts all earlier values to texts. */
        private void addText(@Nullable String text) {
            if (isNumbers) {
                SqlColumn before = build();
                for (int row = 0; row < count; row++) {
                    texts.add(before.text(row));
                }
                isNumbers = false;
                numbers = NONE;
            }
            texts.add(text);
            count++;
        }

        private void add(SqlColumn from, int row) {
            if (from.isNull(row)) {
                addNull();
            } else if (from.isNumbers) {
                add(from.numbers[row]);
            } else {
                addText(from.text(row));
            }
        }

        private void ensureCapacity() {
            if (count == numbers.length) {
                numbers = Arrays.copyOf(numbers, count * 2);
            }
        }

        /** Returns the column of all added values. */
        public SqlColumn build() {
            return isNumbers
                    ? new SqlColumn(type, count, nulls, Arrays.copyOf(numbers, count))
                    : new SqlColumn(type, count, nulls, false, NONE, Collections.unmodifiableList(texts));
        }
    }
}
