package io.uniserve.sql.rows;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.Partitioner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Rows of an engine's answer, stored by column. Immutable and thread-safe. */
public final class SqlRows {
    /** Maximum number of values of one answer: each takes at least eight bytes of memory, even if it is encoded in fewer. */
    private static final int ANSWER_VALUES_MAX = 1 << 26;

    /** Type names become parts of statements, so the codec accepts only a word with numbers. */
    public static final Codec<SqlRows> CODEC =
            Codecs.of(SqlRows::write, in -> read(in, OptionalInt.empty(), ANSWER_VALUES_MAX));

    private static final Pattern TYPE = Pattern.compile("[A-Z][A-Z0-9_ ]{0,40}(\\(\\d{1,2},\\d{1,2}\\))?");
    private static final int COLUMNS_MAX = 10_000;

    /** Types for which equal values are the same number or text. */
    private static final Set<String> COMPARED = Set.of("BIGINT", "INTEGER", "VARCHAR", "DATE");

    /** Answer of an actor if co-located tables of its join are on other servers. No engine has this type. */
    public static final SqlRows NOT_COLOCATED = new SqlRows(List.of("ELSEWHERE"), List.of());

    private final List<SqlColumn> columns;
    private final int count;

    /** Creates rows from columns of the same length. */
    public SqlRows(List<SqlColumn> columns) {
        this(columns, columns.isEmpty() ? 0 : columns.get(0).count());
    }

    /**
     * Creates rows of texts.
     *
     * @param types of the columns, as the engine names them, such as DECIMAL(38,2)
     * @param rows each with one text per column, which the engine reads back exactly, or null
     */
    public SqlRows(List<String> types, List<? extends List<@Nullable String>> rows) {
        this(
                IntStream.range(0, types.size())
                        .mapToObj(i -> new SqlColumn(types.get(i), texts(rows, i)))
                        .toList(),
                rows.size());
    }

    private SqlRows(List<SqlColumn> columns, int count) {
        this.columns = List.copyOf(columns);
        this.count = count;
        for (SqlColumn column : columns) {
            if (!TYPE.matcher(column.type()).matches()) {
                throw UniserveException.unsupported("unsupported type of a query's value: " + column.type());
            }
            if (column.count() != count) {
                throw UniserveException.invalid("columns of different lengths: " + column.count() + " and " + count);
            }
        }
        if (columns.size() > COLUMNS_MAX) {
            throw UniserveException.invalid(
                    "rows have " + columns.size() + " columns, allowed are at most " + COLUMNS_MAX);
        }
    }

    private static List<@Nullable String> texts(List<? extends List<@Nullable String>> rows, int column) {
        List<@Nullable String> texts = new ArrayList<>(rows.size());
        rows.forEach(row -> texts.add(row.get(column)));
        return Collections.unmodifiableList(texts);
    }

    /** Number of rows. */
    public int count() {
        return count;
    }

    public boolean isNotColocated() {
        return types().equals(NOT_COLOCATED.types());
    }

    /** Returns all columns, in order. */
    public List<SqlColumn> columns() {
        return columns;
    }

    /** Returns the types of the columns, as the engine names them. */
    public List<String> types() {
        return columns.stream().map(SqlColumn::type).toList();
    }

    /** Builds the rows: each has one text or null per column. */
    public List<List<@Nullable String>> rows() {
        List<List<@Nullable String>> rows = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            List<@Nullable String> row = new ArrayList<>(columns.size());
            for (SqlColumn column : columns) {
                row.add(column.text(i));
            }
            rows.add(Collections.unmodifiableList(row));
        }
        return rows;
    }

    /** Returns the rows whose value in a column occurs in a column of other rows; all rows if the types cannot be compared here. */
    public SqlRows semiJoin(int column, SqlRows others, int other) {
        SqlColumn own = columns.get(column);
        SqlColumn wanted = others.columns.get(other);
        if (!COMPARED.contains(own.type()) || !own.type().equals(wanted.type())) {
            return this;
        }
        Set<Object> values = new HashSet<>();
        boolean numbers = own.isNumbers() && wanted.isNumbers();
        for (int row = 0; row < wanted.count(); row++) {
            if (!wanted.isNull(row)) {
                values.add(numbers ? (Object) wanted.number(row) : wanted.text(row));
            }
        }
        BitSet some = new BitSet();
        for (int row = 0; row < count; row++) {
            if (!own.isNull(row) && values.contains(numbers ? (Object) own.number(row) : own.text(row))) {
                some.set(row);
            }
        }
        return some.cardinality() == count
                ? this
                : new SqlRows(
                        columns.stream()
                                .map(one -> one.select(some.stream().toArray()))
                                .toList(),
                        some.cardinality());
    }

    /**
     * Partitions the rows by the actor that owns a column's value as its table's key. Rows whose value cannot be a key are left out.
     *
     * @param whole true if keys are whole numbers, false if they are texts
     */
    List<SqlRows> partition(int column, Partitioner partitioner, boolean whole) {
        SqlColumn keys = columns.get(column);
        int[] actors = new int[count];
        int[] counts = new int[partitioner.actors()];
        for (int row = 0; row < count; row++) {
            actors[row] = keys.isNull(row) ? -1 : actorOf(keys, row, partitioner, whole);
            if (actors[row] >= 0) {
                counts[actors[row]]++;
            }
        }
        int[][] places = new int[counts.length][];
        for (int actor = 0; actor < counts.length; actor++) {
            places[actor] = new int[counts[actor]];
        }
        int[] next = new int[counts.length];
        for (int row = 0; row < count; row++) {
            if (actors[row] >= 0) {
                places[actors[row]][next[actors[row]]++] = row;
            }
        }
        return Arrays.stream(places)
                .map(some -> new SqlRows(
                        columns.stream().map(one -> one.select(some)).toList(), some.length))
                .toList();
    }

    private static int actorOf(SqlColumn keys, int row, Partitioner partitioner, boolean whole) {
        if (whole) {
            long number = keys.isNumbers() ? keys.number(row) : Long.parseLong(String.valueOf(keys.text(row)));
            return partitioner.actorOf(PartitionKey.of(number));
        }
        try {
            return partitioner.actorOf(PartitionKey.of(String.valueOf(keys.text(row))));
        } catch (UniserveException e) {
            if (e.code() == ErrorCode.INVALID_ROW) {
                return -1; // not a valid key: empty, or too long
            }
            throw e;
        }
    }

    /** Encodes rows. */
    static void write(BinaryWriter out, SqlRows rows) {
        out.writeInt(rows.columns.size());
        rows.columns.forEach(column -> out.writeString(column.type()));
        out.writeInt(rows.count);
        rows.columns.forEach(column -> ColumnCodec.write(out, column));
    }

    /**
     * Decodes rows. Before memory is allocated it fails with CORRUPT if there are not as many as expected, or more values than {@code
     * most}.
     */
    static SqlRows read(BinaryReader in, OptionalInt expected, int most) {
        List<String> types = new ArrayList<>();
        for (int left = in.readCount(1); left > 0; left--) {
            types.add(in.readString());
        }
        if (types.isEmpty()) {
            throw new UniserveException(ErrorCode.CORRUPT, "the rows have no columns");
        }
        int count = in.readCount(types.size());
        if (count != expected.orElse(count) || (long) count * types.size() > most) {
            throw new UniserveException(
                    ErrorCode.CORRUPT,
                    count + " rows of " + types.size() + " columns: not the expected number, or more values than "
                            + most + " values");
        }
        List<SqlColumn> columns = new ArrayList<>();
        for (String type : types) {
            columns.add(ColumnCodec.read(in, type, count));
        }
        return new SqlRows(columns, count);
    }

    /** Concatenates at least one answer; all must have the same columns. */
    public static SqlRows concat(List<SqlRows> parts) {
        SqlRows first = parts.get(0);
        int count = 0;
        for (SqlRows part : parts) {
            if (!part.types().equals(first.types())) {
                throw new UniserveException(
                        ErrorCode.PORT_FAILED,
                        "actors answer with columns of different types: " + first.types() + " and " + part.types());
            }
            count += part.count;
        }
        return new SqlRows(
                IntStream.range(0, first.columns.size())
                        .mapToObj(i -> SqlColumn.concat(
                                parts.stream().map(part -> part.columns.get(i)).toList()))
                        .toList(),
                count);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SqlRows rows
                && rows.types().equals(types())
                && rows.rows().equals(rows());
    }

    @Override
    public int hashCode() {
        return types().hashCode() * 31 + count;
    }

    @Override
    public String toString() {
        return types() + " " + rows();
    }
}
