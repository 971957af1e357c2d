package io.uniserve.sql;

import io.uniserve.api.ColumnType;
import io.uniserve.api.ColumnType.Kind;
import io.uniserve.api.Columns;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.SplitQuery.Side;
import io.uniserve.sql.SqlQuery.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What an actor is asked where two tables are cut by a column of each that the join wants to be equal, so that rows that join
 * meet at one slot. As with {@link SqlQuery} the user's text travels, and no statement.
 *
 * @param query with the table that stays, and the collected rows of all but the two; {@code item} is the table that is scattered
 * @param partner the other table that is cut, by its place in FROM
 * @param own the column of the table that stays
 * @param other the column of the partner
 */
public record ShuffleQuery(SqlQuery query, int partner, String own, String other) {
    public static final Codec<ShuffleQuery> CODEC = Codecs.of(
            (out, shuffle) -> {
                SqlQuery.CODEC.write(out, shuffle.query);
                out.writeInt(shuffle.partner).writeString(shuffle.own).writeString(shuffle.other);
            },
            in -> new ShuffleQuery(SqlQuery.CODEC.read(in), in.readInt(), in.readString(), in.readString()));

    /** The column of a scattered row that tells its slot. */
    public static final String SLOT = "s";

    /** Comments, texts and quoted names: in one of the latter two there is no comment. */
    private static final Pattern TOKENS =
            Pattern.compile("(?s)'(?:[^']|'')*+'|\"(?:[^\"]|\"\")*+\"|--[^\\n]*+|/\\*.*?\\*/");

    private static final Pattern HINT = Pattern.compile("(?is)/\\*\\+\\s*shuffle\\s*\\*/");

    /** The same, of the table at another place. */
    ShuffleQuery of(int item) {
        return new ShuffleQuery(query.with(Step.SIDE, query.stays(), item, query.sides()), partner, own, other);
    }

    /** The equality of two columns that are cut alike, if there is one. */
    static Optional<ShuffleQuery> between(SqlQuery query, int partner) {
        List<Conditions.Equality> all = new ArrayList<>(query.equalities());
        query.partners().stream()
                .filter(one -> one.left().item() == query.stays())
                .forEach(all::add);
        for (Conditions.Equality one : all) {
            Optional<Names.Found> own = one.of(query.stays());
            if (own.isPresent() && one.other(query.stays()).item() == partner) {
                ShuffleQuery found = new ShuffleQuery(
                        query,
                        partner,
                        own.get().column(),
                        one.other(query.stays()).column());
                if (found.common().isPresent()) {
                    return Optional.of(found);
                }
            }
        }
        return Optional.empty();
    }

    /** False where rows of the table that stays count although they match nothing: the join is a LEFT JOIN of the two. */
    private boolean inner() {
        return query.equalities().stream()
                .anyMatch(one -> one.of(query.stays())
                                .filter(found -> found.column().equals(own))
                                .isPresent()
                        && one.other(query.stays()).item() == partner
                        && one.other(query.stays()).column().equals(other));
    }

    /** True where a query has the comment by which it wants its two largest tables cut; within a text or a name it is none. */
    static boolean wanted(String text) {
        Matcher tokens = TOKENS.matcher(text);
        while (tokens.find()) {
            if (HINT.matcher(tokens.group()).matches()) {
                return true;
            }
        }
        return false;
    }

    /** The type as which both columns' values are cut: equal ones must come to the same slot. None where that is not sure. */
    private Optional<String> common() {
        SplitQuery split = query.split();
        ColumnType one = type(split.side("table that stays", query.stays()), own);
        ColumnType two = type(split.side("partner", partner), other);
        if (whole(one) && whole(two)) {
            return Optional.of(Kind.BIGINT.name());
        }
        if (one.kind() == Kind.DECIMAL && two.kind() == Kind.DECIMAL && one.scale() == two.scale()) {
            return Optional.of(new ColumnType(Kind.DECIMAL, ColumnType.PRECISION_MAX, one.scale()).sql());
        }
        boolean exact = one.kind() == two.kind() && (one.kind() == Kind.VARCHAR || one.kind() == Kind.DATE);
        return exact ? Optional.of(one.sql()) : Optional.empty();
    }

    private static boolean whole(ColumnType type) {
        return type.kind() == Kind.BIGINT || type.kind() == Kind.INTEGER;
    }

    private ColumnType type(Side side, String column) {
        Columns columns = query.tables().get(side.table());
        if (columns == null) {
            throw UniserveException.invalid("table " + side.table() + " is not known");
        }
        return columns.columns().stream()
                .filter(one -> one.name().equals(column))
                .findFirst()
                .orElseThrow(() -> UniserveException.invalid("table " + side.table() + " has no column " + column))
                .type();
    }

    /**
     * What of an actor's rows goes to which slot: columns c0, c1, ... and {@value #SLOT}.
     *
     * @param own columns of the actor
     * @param hash of the engine: a whole number of 0 or more for an expression, the same in all processes
     */
    SqlQuery.Work scatter(Columns own, int slots, Function<String, String> hash) {
        SplitQuery split = query.split();
        Side side = split.side("table to scatter", query.item());
        if (query.item() != query.stays() && query.item() != partner) {
            throw UniserveException.invalid("table " + query.item() + " of FROM is not to be scattered");
        }
        if (!own.equals(query.tables().get(side.table()))) {
            throw UniserveException.invalid("table " + side.table() + " has other columns than the query was made for");
        }
        String key = query.item() == partner ? other : this.own;
        List<String> conditions = new ArrayList<>(side.conditions());
        Map<String, PackedRows> relations = new TreeMap<>();
        query.sides()
                .forEach((place, rows) -> side.reductions().stream()
                        .filter(one -> one.side() == place)
                        .forEach(one -> {
                            conditions.add(one.condition());
                            relations.put(SplitQuery.side(place), rows);
                        }));
        boolean all = query.item() == query.stays() && !inner();
        if (!all) { // What is equal to nothing joins nothing.
            conditions.add("\"" + key + "\" IS NOT NULL");
        }
        String cast = "CAST(\"" + key + "\" AS " + common().orElseThrow(ShuffleQuery::unequal) + ")";
        List<String> columns = new ArrayList<>();
        for (int i = 0; i < side.columns().size(); i++) {
            columns.add("\"" + side.columns().get(i) + "\" AS c" + i);
        }
        String slot = "CAST(" + hash.apply(cast) + " % " + slots + " AS INTEGER)";
        columns.add((all ? "CASE WHEN \"" + key + "\" IS NULL THEN 0 ELSE " + slot + " END" : slot) + " AS " + SLOT);
        String statement =
                "SELECT " + String.join(", ", columns) + " FROM " + SplitQuery.ROWS + SplitQuery.where(conditions);
        query.giveTo(statement, relations);
        return new SqlQuery.Work(statement, relations);
    }

    private static UniserveException unequal() {
        return UniserveException.invalid("the columns of a shuffle have no type in common");
    }

    /**
     * The partial answer of a slot.
     *
     * @param chunks how the engine reads the chunks of the table that stays and those of the partner; none where there are none
     */
    SqlQuery.Work gather(Optional<String> chunks, Optional<String> partnerChunks) {
        SplitQuery split = query.split();
        String rows = relation(split.side("table that stays", query.stays()), chunks, true);
        String others = relation(split.side("partner", partner), partnerChunks, false);
        Set<Integer> wanted = IntStream.range(0, split.sides().size())
                .filter(item -> item != query.stays() && item != partner)
                .boxed()
                .collect(Collectors.toCollection(TreeSet::new));
        if (!query.sides().keySet().equals(wanted)) {
            throw UniserveException.invalid("a shuffled join of tables " + query.stays() + " and " + partner
                    + " of FROM wants the rows of tables " + wanted + ", not of "
                    + query.sides().keySet());
        }
        Map<String, PackedRows> relations = new TreeMap<>();
        query.sides().forEach((place, packed) -> relations.put(SplitQuery.side(place), packed));
        String statement = "SELECT * FROM (WITH " + SplitQuery.ROWS + " AS (" + rows + "), " + SplitQuery.side(partner)
                + " AS (" + others + ") " + split.partial() + ")";
        query.giveTo(statement, relations);
        return new SqlQuery.Work(statement, relations);
    }

    /** Chunks under the names that the partial statement has for their columns; without chunks an empty table of their types. */
    private String relation(Side side, Optional<String> chunks, boolean stays) {
        List<String> columns = IntStream.range(0, side.columns().size())
                .mapToObj(i -> {
                    String column = side.columns().get(i);
                    String value = chunks.isPresent()
                            ? "c" + i
                            : "CAST(NULL AS " + type(side, column).sql() + ")";
                    return value + " AS " + (stays ? "\"" + column + "\"" : "c" + i);
                })
                .toList();
        return "SELECT " + String.join(", ", columns)
                + chunks.map(from -> " FROM " + from).orElse(" WHERE 1 = 0");
    }
}
