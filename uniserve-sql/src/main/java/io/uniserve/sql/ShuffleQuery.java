package io.uniserve.sql;

import io.uniserve.api.extra.ColumnType;
import io.uniserve.api.extra.ColumnType.Kind;
import io.uniserve.api.extra.Columns;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.sql.FragmentedPlan.Side;
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
 * What an actor is asked where tables are cut by columns that the join wants to be equal, so that rows that join meet at one slot:
 * two at a time, and what two have made is cut again and meets the next. As with {@link SqlQuery} the user's text travels, and no
 * statement.
 *
 * @param query with the table that stays, which is one of them, and the collected rows of all others; {@code item} is the table that is
 *     scattered
 * @param links what is joined, in this order; the first one's {@code to} is the table that they begin with
 * @param joined how many of them are, once this step has been done; 0 for a scatter
 */
public record ShuffleQuery(SqlQuery query, List<Link> links, int joined) {
    private static final Codec<List<Link>> LINKS = Codecs.list(Codecs.of(
            (out, link) -> out.writeInt(link.item)
                    .writeString(link.column)
                    .writeInt(link.to)
                    .writeString(link.toColumn),
            in -> new Link(in.readInt(), in.readString(), in.readInt(), in.readString())));

    public static final Codec<ShuffleQuery> CODEC = Codecs.of(
            (out, shuffle) -> {
                SqlQuery.CODEC.write(out, shuffle.query);
                LINKS.write(out, shuffle.links);
                out.writeInt(shuffle.joined);
            },
            in -> new ShuffleQuery(SqlQuery.CODEC.read(in), LINKS.read(in), in.readInt()));

    /** Tables of a chain: a scatter each, and a map for each pair but the last. */
    static final int TABLES_MAX = Limits.PLAN_SCATTERS_MAX / 2 + 1;

    /** The column that tells which rows of tables were joined into one; no table has such a name. */
    static final String PAIR = "\"#\"";

    /** More rows than a slot can have: tells rows of different slots apart. */
    private static final long SLOT_ROWS = 1L << 40;

    /**
     * A table, and what it is cut by.
     *
     * @param item its place in FROM
     * @param to one of the tables before it, by its place
     * @param toColumn of that table, to be equal
     */
    public record Link(int item, String column, int to, String toColumn) {}

    public ShuffleQuery {
        links = List.copyOf(links);
    }

    /** The column of a scattered row that tells its slot. */
    public static final String SLOT = "s";

    /** Comments, texts and quoted names: in one of the latter two there is no comment. */
    private static final Pattern TOKENS =
            Pattern.compile("(?s)'(?:[^']|'')*+'|\"(?:[^\"]|\"\")*+\"|(?:--|//)[^\\r\\n]*+|/\\*.*?\\*/");

    private static final Pattern HINT = Pattern.compile("(?is)/\\*\\+\\s*shuffle(_all)?\\s*\\*/");

    /** Which tables a query's comment wants to be cut. */
    enum Hint {
        NONE,
        /** That which stays, and the largest one that can be. */
        LARGEST,
        /** All that can be. */
        ALL
    }

    /** The places of the tables in FROM, in the order in which they are joined. */
    List<Integer> order() {
        List<Integer> order = new ArrayList<>();
        links.stream().limit(1).forEach(link -> order.add(link.to));
        links.forEach(link -> order.add(link.item));
        return order;
    }

    /** What a table's actors are asked. */
    ShuffleQuery scattering(int item) {
        return new ShuffleQuery(query.with(Step.SIDE, query.stays(), item, query.sides()), links, 0);
    }

    /** What slots are asked that join so many links and cut what they make for the next. */
    ShuffleQuery joining(int count) {
        return new ShuffleQuery(query.bare(), links, count);
    }

    /** Refuses what is no chain, and what only the actors of a table can answer. */
    private void check() {
        if (!query.stage().checked().isEmpty()) {
            throw UniserveException.invalid("sub-queries are checked at actors, not in slots");
        }
        Set<Integer> before = new TreeSet<>();
        for (Link link : links) {
            before.addAll(before.isEmpty() ? List.of(link.to) : List.of());
            if (!before.contains(link.to)
                    || !before.add(link.item)
                    || common(link).isEmpty()) {
                throw UniserveException.invalid(
                        "table " + link.item + " of FROM is not to be cut with table " + link.to);
            }
        }
        if (before.size() > TABLES_MAX || !before.contains(query.stays()) || joined < 0 || joined > links.size()) {
            throw UniserveException.invalid("tables " + before + " of FROM are not to be cut");
        }
    }

    /** False where rows of what was joined before count although they match nothing: the join is a LEFT JOIN. */
    private boolean inner(Link link) {
        return query.equalities().stream()
                .anyMatch(one -> one.of(link.to)
                                .filter(found -> found.column().equals(link.toColumn))
                                .isPresent()
                        && one.other(link.to).item() == link.item
                        && one.other(link.to).column().equals(link.column));
    }

    /** What a query's comment wants; within a text or a name it is none. */
    static Hint hint(String text) {
        Matcher tokens = TOKENS.matcher(text);
        while (tokens.find()) {
            Matcher hint = HINT.matcher(tokens.group());
            if (hint.matches()) {
                return hint.group(1) == null ? Hint.LARGEST : Hint.ALL;
            }
        }
        return Hint.NONE;
    }

    /** The type as which both columns' values are cut: equal ones must come to the same slot. None where that is not sure. */
    private Optional<String> common(Link link) {
        return common(query, link);
    }

    static Optional<String> common(SqlQuery query, Link link) {
        FragmentedPlan split = query.split();
        ColumnType one = type(query, split.side("table to cut", link.to), link.toColumn);
        ColumnType two = type(query, split.side("table to cut", link.item), link.column);
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

    private static ColumnType type(SqlQuery query, Side side, String column) {
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
        check();
        FragmentedPlan split = query.split();
        Side side = split.side("table to scatter", query.item());
        int place = order().indexOf(query.item());
        if (place < 0) {
            throw UniserveException.invalid("table " + query.item() + " of FROM is not to be scattered");
        }
        if (!own.equals(query.tables().get(side.table()))) {
            throw UniserveException.invalid("table " + side.table() + " has other columns than the query was made for");
        }
        Link link = links.get(Math.max(0, place - 1));
        String key = "\"" + (place == 0 ? link.toColumn : link.column) + "\"";
        List<String> conditions = new ArrayList<>(side.conditions());
        Map<String, PackedRows> relations = new TreeMap<>();
        query.sides()
                .forEach((other, rows) -> side.reductions().stream()
                        .filter(one -> one.side() == other)
                        .forEach(one -> {
                            conditions.add(one.condition());
                            relations.put(FragmentedPlan.side(other), rows);
                        }));
        boolean all = place == 0 && !inner(link);
        if (!all) { // What is equal to nothing joins nothing.
            conditions.add(key + " IS NOT NULL");
        }
        List<String> columns = new ArrayList<>();
        for (int i = 0; i < side.columns().size(); i++) {
            columns.add("\"" + side.columns().get(i) + "\" AS c" + i);
        }
        columns.add(slot(link, key, all, slots, hash));
        String statement = "SELECT " + String.join(", ", columns) + " FROM " + FragmentedPlan.ROWS
                + FragmentedPlan.where(conditions);
        query.giveTo(statement, relations);
        return new SqlQuery.Work(statement, relations);
    }

    /** The column that tells a row's slot. */
    private String slot(Link link, String key, boolean all, int slots, Function<String, String> hash) {
        String cast = "CAST(" + key + " AS " + common(link).orElseThrow(ShuffleQuery::unequal) + ")";
        String slot = "CAST(" + hash.apply(cast) + " % " + slots + " AS INTEGER)";
        return (all ? "CASE WHEN " + key + " IS NULL THEN 0 ELSE " + slot + " END" : slot) + " AS " + SLOT;
    }

    private static UniserveException unequal() {
        return UniserveException.invalid("the columns of a shuffle have no type in common");
    }

    /**
     * What a slot's rows of two relations are joined to, and to which slot each goes next: a column for each that is wanted of their
     * tables, {@value #PAIR} and {@value #SLOT}.
     *
     * @param before how the engine reads the chunks of what was joined before
     * @param chunks how it reads those of the next table
     * @param at the actor whose slot it is
     */
    SqlQuery.Work join(String before, String chunks, int slots, Function<String, String> hash, int at) {
        check();
        if (joined < 1 || joined >= links.size() || !inner(links.get(joined - 1))) {
            throw UniserveException.invalid(
                    "link " + joined + " of " + links.size() + " of a join is not one in the middle");
        }
        List<Integer> known = order().subList(0, joined);
        int item = links.get(joined - 1).item;
        Link next = links.get(joined);
        List<String> on = query.equalities().stream()
                .filter(one -> one.of(item).isPresent()
                        && known.contains(one.other(item).item()))
                .map(one -> column(item, one.of(item).orElseThrow().column()) + " = "
                        + column(one.other(item).item(), one.other(item).column()))
                .toList();
        List<String> columns = new ArrayList<>();
        known.forEach(one -> columns.addAll(columns(one)));
        columns.addAll(columns(item));
        boolean all = !inner(next);
        String key = column(next.to, next.toColumn);
        columns.add("CAST(" + at + " AS BIGINT) * " + SLOT_ROWS + " + row_number() OVER () AS " + PAIR);
        columns.add(slot(next, key, all, slots, hash));
        String left = joined == 1 ? raw(known.get(0), before) : "SELECT * FROM " + before;
        String statement =
                "SELECT " + String.join(", ", columns) + " FROM (" + left + ") AS a JOIN (" + raw(item, chunks)
                        + ") AS b ON " + String.join(" AND ", on) + (all ? "" : " WHERE " + key + " IS NOT NULL");
        return new SqlQuery.Work(statement, Map.of());
    }

    /** The names of a table's columns in what was joined. */
    private List<String> columns(int item) {
        return IntStream.range(
                        0, query.split().side("table to cut", item).columns().size())
                .mapToObj(i -> "c" + item + "_" + i)
                .toList();
    }

    private String column(int item, String column) {
        int place = query.split().side("table to cut", item).columns().indexOf(column);
        if (place < 0) {
            throw UniserveException.invalid("column " + column + " of table " + item + " of FROM is not sent");
        }
        return "c" + item + "_" + place;
    }

    private String raw(int item, String chunks) {
        List<String> names = columns(item);
        return "SELECT "
                + IntStream.range(0, names.size())
                        .mapToObj(i -> "c" + i + " AS " + names.get(i))
                        .collect(Collectors.joining(", "))
                + " FROM " + chunks;
    }

    /**
     * The partial answer of a slot.
     *
     * @param before how the engine reads the chunks of what was joined before the last link; none where there are none
     * @param chunks those of the last table
     */
    SqlQuery.Work gather(Optional<String> before, Optional<String> chunks) {
        check();
        if (joined != links.size()) {
            throw UniserveException.invalid("a join of " + links.size() + " links ends with " + joined);
        }
        List<Integer> order = order();
        List<Integer> known = order.subList(0, joined);
        FragmentedPlan split = query.split(known.size() > 1 ? known : List.of());
        Set<Integer> wanted = IntStream.range(0, split.sides().size())
                .filter(item -> !order.contains(item))
                .boxed()
                .collect(Collectors.toCollection(TreeSet::new));
        if (!query.sides().keySet().equals(wanted)) {
            throw UniserveException.invalid("a shuffled join of tables " + order + " of FROM wants the rows of tables "
                    + wanted + ", not of " + query.sides().keySet());
        }
        List<String> with = new ArrayList<>();
        for (int item : order) {
            boolean last = item == order.get(joined);
            boolean pair = known.size() > 1 && !last;
            String name = item == query.stays() ? FragmentedPlan.ROWS : FragmentedPlan.side(item);
            with.add(name + " AS (" + relation(split.sides().get(item), item, last ? chunks : before, pair) + ")");
        }
        Map<String, PackedRows> relations = new TreeMap<>();
        query.sides().forEach((place, packed) -> relations.put(FragmentedPlan.side(place), packed));
        String statement = "SELECT * FROM (WITH " + String.join(", ", with) + " " + split.partial() + ")";
        query.giveTo(statement, relations);
        return new SqlQuery.Work(statement, relations, Map.of(), true);
    }

    /**
     * Chunks under the names that the partial statement has for their columns; without chunks an empty table of their types.
     *
     * @param pair true where they are of joined rows
     */
    private String relation(Side side, int item, Optional<String> chunks, boolean pair) {
        List<String> columns = new ArrayList<>();
        List<String> joinedNames = columns(item);
        for (int i = 0; i < side.columns().size(); i++) {
            String column = side.columns().get(i);
            String value = chunks.isPresent()
                    ? pair ? joinedNames.get(i) : "c" + i
                    : "CAST(NULL AS " + type(query, side, column).sql() + ")";
            columns.add(value + " AS " + (item == query.stays() ? "\"" + column + "\"" : "c" + i));
        }
        if (pair) {
            columns.add(chunks.isPresent() ? PAIR : "CAST(NULL AS BIGINT) AS " + PAIR);
        }
        return "SELECT " + String.join(", ", columns)
                + chunks.map(from -> " FROM " + from).orElse(" WHERE 1 = 0");
    }
}
