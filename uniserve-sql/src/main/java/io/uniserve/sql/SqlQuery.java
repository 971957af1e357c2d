package io.uniserve.sql;

import io.uniserve.api.ColumnType;
import io.uniserve.api.Columns;
import io.uniserve.api.Columns.Column;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What an actor is asked for a query, the parameters of a port's operator. What travels is the user's text, which every
 * actor checks and splits itself: no client can have a server run a statement of the engine's own.
 *
 * @param text the query
 * @param tables all that its FROM names, by their names there
 * @param step what of it
 * @param stays the table that stays in its place while the others' rows are sent to it, by its place in FROM; -1 while that
 *     is not known
 * @param item the table that is asked, by its place in FROM
 * @param sides rows of other tables, by their places in FROM
 */
public record SqlQuery(
        String text, Map<String, Columns> tables, Step step, int stays, int item, Map<Integer, PackedRows> sides) {
    public static final Codec<SqlQuery> CODEC = Codecs.of(SqlQuery::write, SqlQuery::read);

    private static final Codec<Map<Integer, PackedRows>> SIDES = Codecs.map(Codecs.INT, PackedRows.CODEC);
    private static final String NAME = "[a-z_][a-z0-9_]{0,62}";

    private static final int SPLITS_MAX = 256;
    private static final Splits SPLITS = new Splits();

    /** The steps of a query. */
    public enum Step {
        /** How many rows of the table its own conditions leave. */
        COUNT,
        /** Those rows, as far as they may have a partner in the sides. */
        SIDE,
        /** What the table's rows, joined with all sides, contribute to the answer. */
        PARTIAL
    }

    public SqlQuery {
        tables = byName(tables);
        sides = Collections.unmodifiableMap(new TreeMap<>(sides));
    }

    /** SQL does not tell large letters from small ones. */
    static <T> Map<String, T> byName(Map<String, T> tables) {
        Map<String, T> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(tables);
        return Collections.unmodifiableMap(all);
    }

    /** A query of one table. */
    public static SqlQuery of(String table, Columns columns, String text) {
        return new SqlQuery(text, Map.of(table, columns), Step.PARTIAL, -1, 0, Map.of());
    }

    /** Another step of the same query. */
    SqlQuery with(Step step, int stays, int item, Map<Integer, PackedRows> sides) {
        return new SqlQuery(text, tables, step, stays, item, sides);
    }

    /**
     * What an engine does for it.
     *
     * @param statement over the actor's rows and the relations
     * @param relations by the names that the statement has for them
     */
    public record Work(String statement, Map<String, PackedRows> relations) {}

    /** The statement for an actor that has these columns; INVALID_ARGUMENT or UNSUPPORTED where there is none. */
    public Work work(Columns own) {
        SplitQuery split = split();
        SplitQuery.Side side = split.side("table to ask", item);
        if (!own.equals(tables.get(side.table()))) {
            throw UniserveException.invalid("table " + side.table() + " has other columns than the query was made for");
        }
        if (step == Step.COUNT) {
            return new Work(side.count(), Map.of());
        }
        Map<String, PackedRows> relations = new TreeMap<>();
        sides.forEach((place, rows) -> relations.put(SplitQuery.side(place), rows));
        if (step == Step.SIDE) {
            relations
                    .keySet()
                    .retainAll(side.reductions().stream()
                            .map(one -> SplitQuery.side(one.side()))
                            .toList());
            return new Work(side.statement(sides.keySet()), relations);
        }
        TreeSet<Integer> wanted = new TreeSet<>();
        for (int other = 0; other < split.sides().size(); other++) {
            if (other != item) {
                wanted.add(other);
            }
        }
        if (item != split.stays() || !sides.keySet().equals(wanted)) {
            throw UniserveException.invalid("a partial answer wants the rows of tables " + wanted
                    + " of FROM for table " + split.stays() + ", not of " + sides.keySet() + " for table " + item);
        }
        return new Work(split.partial(), relations);
    }

    /** The query as statements; the actors of a server need not parse the same text again. */
    SplitQuery split() {
        SplitKey key = new SplitKey(text, tables, stays);
        synchronized (SPLITS) {
            SplitQuery known = SPLITS.get(key);
            if (known != null) {
                return known;
            }
        }
        SplitQuery split = SplitQuery.of(tables, text, stays);
        synchronized (SPLITS) {
            SPLITS.put(key, split);
        }
        return split;
    }

    private static void write(BinaryWriter out, SqlQuery query) {
        out.writeString(query.text).writeInt(query.tables.size());
        query.tables.forEach((name, columns) -> {
            out.writeString(name).writeInt(columns.columns().size());
            columns.columns().forEach(column -> {
                out.writeString(column.name()).writeByte(column.type().kind().ordinal());
                out.writeByte(column.type().precision()).writeByte(column.type().scale());
            });
            out.writeInt(columns.primary().size());
            columns.primary().forEach(out::writeString);
        });
        out.writeByte(query.step.ordinal()).writeInt(query.stays).writeInt(query.item);
        SIDES.write(out, query.sides);
    }

    private static SqlQuery read(BinaryReader in) {
        String text = in.readString();
        Map<String, Columns> tables = new LinkedHashMap<>();
        for (int left = in.readCount(2); left > 0; left--) {
            tables.put(in.readString(), columns(in));
        }
        Step step = one(Step.values(), in.readByte(), "step");
        return new SqlQuery(text, tables, step, in.readInt(), in.readInt(), SIDES.read(in));
    }

    private static Columns columns(BinaryReader in) {
        List<Column> columns = new ArrayList<>();
        for (int left = in.readCount(4); left > 0; left--) {
            String name = in.readString();
            ColumnType.Kind kind = one(ColumnType.Kind.values(), in.readByte(), "type");
            int precision = in.readByte();
            int scale = in.readByte();
            boolean decimal = kind == ColumnType.Kind.DECIMAL;
            boolean fits = decimal
                    ? precision >= 1 && precision <= ColumnType.PRECISION_MAX && scale >= 0 && scale <= precision
                    : precision == 0 && scale == 0;
            // Names become parts of statements.
            if (!name.matches(NAME) || !fits) {
                throw new UniserveException(ErrorCode.CORRUPT, "a column that no table has");
            }
            columns.add(new Column(name, new ColumnType(kind, precision, scale)));
        }
        List<String> primary = new ArrayList<>();
        for (int left = in.readCount(4); left > 0; left--) {
            primary.add(in.readString());
        }
        return new Columns(columns, primary);
    }

    private static <T> T one(T[] all, int index, String what) {
        if (index < 0 || index >= all.length) {
            throw new UniserveException(ErrorCode.CORRUPT, what + " " + index + " is not known");
        }
        return all[index];
    }

    private record SplitKey(String text, Map<String, Columns> tables, int stays) {}

    /** The splits used last. */
    private static final class Splits extends LinkedHashMap<SplitKey, SplitQuery> {
        private static final long serialVersionUID = 1L;

        Splits() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<SplitKey, SplitQuery> eldest) {
            return size() > SPLITS_MAX;
        }
    }
}
