package io.uniserve.sql.plan;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.extra.ColumnType;
import io.uniserve.api.extra.ColumnType.Kind;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.sql.engine.ActorStatement;
import io.uniserve.sql.engine.StatementNaming;
import io.uniserve.sql.plan.FragmentedPlan.Side;
import io.uniserve.sql.plan.SqlQuery.Step;
import io.uniserve.sql.plan.write.SqlWriter;
import io.uniserve.sql.rows.PackedRows;
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
 * Parameters of the shuffle operators. Tables are partitioned by the hash of join columns, so that matching rows meet in one slot. Two
 * tables are joined at a time, and their result is shuffled again for the next one. As with {@link SqlQuery}, requests have the user's text
 * and not a statement.
 *
 * @param query with its stationary table, which is one of the shuffled ones, and the collected rows of all other tables; {@code item} is
 *     the scattered table
 * @param links the joins, in this order; {@code to} of the first one is the table that the chain starts with
 * @param joinedLinks the number of links that are joined after this step; 0 for a scatter
 */
public record ShuffleQuery(SqlQuery query, List<Link> links, int joinedLinks) {
    private static final Codec<List<Link>> LINKS = Codecs.list(Codecs.of(
            (out, link) -> out.writeInt(link.item)
                    .writeString(link.column)
                    .writeInt(link.previousItem)
                    .writeString(link.previousColumn),
            in -> new Link(in.readInt(), in.readString(), in.readInt(), in.readString())));

    public static final Codec<ShuffleQuery> CODEC = Codecs.of(
            (out, shuffle) -> {
                SqlQuery.CODEC.write(out, shuffle.query);
                LINKS.write(out, shuffle.links);
                out.writeInt(shuffle.joinedLinks);
            },
            in -> new ShuffleQuery(SqlQuery.CODEC.read(in), LINKS.read(in), in.readInt()));

    /** Maximum number of tables of a chain: one scatter per table, and one map per pair except the last. */
    static final int TABLES_MAX = Limits.PLAN_SCATTERS_MAX / 2 + 1;

    /** Larger than the number of rows of a slot; makes row numbers of different slots distinct. */
    private static final long SLOT_ROWS = 1L << 40;

    /**
     * Join of a table with one before it.
     *
     * @param item the table's place in FROM
     * @param previousItem the place of a table before it
     * @param previousColumn the column of that table that must be equal
     */
    public record Link(int item, String column, int previousItem, String previousColumn) {}

    public ShuffleQuery {
        links = List.copyOf(links);
    }

    /** Comments, texts and quoted names. Texts and quoted names cannot contain comments. */
    private static final Pattern TOKENS =
            Pattern.compile("(?s)'(?:[^']|'')*+'|\"(?:[^\"]|\"\")*+\"|(?:--|//)[^\\r\\n]*+|/\\*.*?\\*/");

    private static final Pattern HINT = Pattern.compile("(?is)/\\*\\+\\s*shuffle(_all)?\\s*\\*/");

    /** Shuffle that a query's hint requests. */
    public enum Hint {
        NONE,
        /** The stationary table, and the largest one that can be shuffled with it. */
        LARGEST,
        /** All that can be shuffled. */
        ALL
    }

    /** Returns the tables' places in FROM, in join order. */
    public List<Integer> order() {
        List<Integer> order = new ArrayList<>();
        links.stream().limit(1).forEach(link -> order.add(link.previousItem));
        links.forEach(link -> order.add(link.item));
        return order;
    }

    /** Returns the request to the actors of a table for their scatter. */
    public ShuffleQuery forScatter(int item) {
        return new ShuffleQuery(query.withStep(Step.SIDE, query.stationaryItem(), item, query.sides()), links, 0);
    }

    /** Returns the request to slots that join the first {@code count} links and shuffle the result for the next. */
    public ShuffleQuery forJoin(int count) {
        return new ShuffleQuery(query.withoutRows(), links, count);
    }

    /** Refuses an invalid chain, and sub-queries that only actors can check. */
    private void check() {
        if (!query.stage().checked().isEmpty()) {
            throw UniserveException.invalid("sub-queries are checked at actors, not in slots");
        }
        Set<Integer> before = new TreeSet<>();
        for (Link link : links) {
            before.addAll(before.isEmpty() ? List.of(link.previousItem) : List.of());
            if (!before.contains(link.previousItem)
                    || !before.add(link.item)
                    || commonType(link).isEmpty()) {
                throw UniserveException.invalid(
                        "table " + link.item + " of FROM cannot be shuffled with table " + link.previousItem);
            }
        }
        if (before.size() > TABLES_MAX
                || !before.contains(query.stationaryItem())
                || joinedLinks < 0
                || joinedLinks > links.size()) {
            throw UniserveException.invalid("tables " + before + " of FROM cannot be shuffled");
        }
    }

    /** False for a LEFT JOIN, which keeps rows of the earlier tables that have no match. */
    private boolean isInner(Link link) {
        return query.equalities().stream()
                .anyMatch(one -> one.columnOf(link.previousItem)
                                .filter(found -> found.column().equals(link.previousColumn))
                                .isPresent()
                        && one.other(link.previousItem).item() == link.item
                        && one.other(link.previousItem).column().equals(link.column));
    }

    /** Returns the hint of a query. Texts and quoted names are not searched. */
    public static Hint hint(String text) {
        Matcher tokens = TOKENS.matcher(text);
        while (tokens.find()) {
            Matcher hint = HINT.matcher(tokens.group());
            if (hint.matches()) {
                return hint.group(1) == null ? Hint.LARGEST : Hint.ALL;
            }
        }
        return Hint.NONE;
    }

    /** Returns the common type for hashing both columns: equal values must have the same slot. Empty if that is not certain. */
    private Optional<String> commonType(Link link) {
        return commonType(query, link);
    }

    static Optional<String> commonType(SqlQuery query, Link link) {
        FragmentedPlan split = query.fragment();
        ColumnType one = type(query, split.side("table to shuffle", link.previousItem), link.previousColumn);
        ColumnType two = type(query, split.side("table to shuffle", link.item), link.column);
        if (isInteger(one) && isInteger(two)) {
            return Optional.of(Kind.BIGINT.name());
        }
        if (one.kind() == Kind.DECIMAL && two.kind() == Kind.DECIMAL && one.scale() == two.scale()) {
            return Optional.of(new ColumnType(Kind.DECIMAL, ColumnType.PRECISION_MAX, one.scale()).sqlName());
        }
        boolean exact = one.kind() == two.kind() && (one.kind() == Kind.VARCHAR || one.kind() == Kind.DATE);
        return exact ? Optional.of(one.sqlName()) : Optional.empty();
    }

    private static boolean isInteger(ColumnType type) {
        return type.kind() == Kind.BIGINT || type.kind() == Kind.INTEGER;
    }

    private static ColumnType type(SqlQuery query, Side side, String column) {
        ColumnSchema columns = query.tables().get(side.table());
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
     * Returns the statement that assigns an actor's rows to slots: columns c0, c1, ... and {@value StatementNaming#SLOT}.
     *
     * @param own columns of the actor
     * @param hash writes the engine's hash of an expression: a non-negative whole number, the same in all processes
     */
    public ActorStatement scatter(ColumnSchema own, int slots, Function<String, String> hash) {
        check();
        FragmentedPlan split = query.fragment();
        Side side = split.side("table to scatter", query.item());
        int place = order().indexOf(query.item());
        if (place < 0) {
            throw UniserveException.invalid("table " + query.item() + " of FROM cannot be scattered");
        }
        if (!own.equals(query.tables().get(side.table()))) {
            throw UniserveException.invalid("table " + side.table() + " has other columns than the query was made for");
        }
        Link link = links.get(Math.max(0, place - 1));
        String key = "\"" + (place == 0 ? link.previousColumn : link.column) + "\"";
        List<String> conditions = new ArrayList<>(side.conditions());
        Map<String, PackedRows> relations = new TreeMap<>();
        query.sides()
                .forEach((other, rows) -> side.reductions().stream()
                        .filter(one -> one.side() == other)
                        .forEach(one -> {
                            conditions.add(one.condition());
                            relations.put(StatementNaming.side(other), rows);
                        }));
        boolean all = place == 0 && !isInner(link);
        if (!all) { // NULL joins nothing.
            conditions.add(key + " IS NOT NULL");
        }
        List<String> columns = new ArrayList<>();
        for (int i = 0; i < side.columns().size(); i++) {
            columns.add("\"" + side.columns().get(i) + "\" AS c" + i);
        }
        columns.add(slotExpression(link, key, all, slots, hash));
        String statement =
                "SELECT " + String.join(", ", columns) + " FROM " + StatementNaming.ROWS + SqlWriter.where(conditions);
        query.addAnswers(statement, relations);
        return new ActorStatement(statement, relations);
    }

    /** Returns the column that has a row's slot. */
    private String slotExpression(Link link, String key, boolean all, int slots, Function<String, String> hash) {
        String cast = "CAST(" + key + " AS " + commonType(link).orElseThrow(ShuffleQuery::unequal) + ")";
        String slot = "CAST(" + hash.apply(cast) + " % " + slots + " AS INTEGER)";
        return (all ? "CASE WHEN " + key + " IS NULL THEN 0 ELSE " + slot + " END" : slot) + " AS "
                + StatementNaming.SLOT;
    }

    private static UniserveException unequal() {
        return UniserveException.invalid("the columns of a shuffle have no common type");
    }

    /**
     * Returns the statement that joins two relations of a slot and assigns the result to the next slots. Its columns are those that are
     * needed of the tables, {@value StatementNaming#PAIR} and {@value StatementNaming#SLOT}.
     *
     * @param before reads the chunks of the earlier result, in the engine's SQL
     * @param chunks reads the chunks of the next table
     * @param at the actor whose slot it is
     */
    public ActorStatement join(String before, String chunks, int slots, Function<String, String> hash, int at) {
        check();
        if (joinedLinks < 1 || joinedLinks >= links.size() || !isInner(links.get(joinedLinks - 1))) {
            throw UniserveException.invalid(
                    "link " + joinedLinks + " of " + links.size() + " of a join is not in the middle of the chain");
        }
        List<Integer> known = order().subList(0, joinedLinks);
        int item = links.get(joinedLinks - 1).item;
        Link next = links.get(joinedLinks);
        List<String> on = query.equalities().stream()
                .filter(one -> one.columnOf(item).isPresent()
                        && known.contains(one.other(item).item()))
                .map(one -> column(item, one.columnOf(item).orElseThrow().column()) + " = "
                        + column(one.other(item).item(), one.other(item).column()))
                .toList();
        List<String> columns = new ArrayList<>();
        known.forEach(one -> columns.addAll(columns(one)));
        columns.addAll(columns(item));
        boolean all = !isInner(next);
        String key = column(next.previousItem, next.previousColumn);
        columns.add("CAST(" + at + " AS BIGINT) * " + SLOT_ROWS + " + row_number() OVER () AS " + StatementNaming.PAIR);
        columns.add(slotExpression(next, key, all, slots, hash));
        String left = joinedLinks == 1 ? rawRelation(known.get(0), before) : "SELECT * FROM " + before;
        String statement =
                "SELECT " + String.join(", ", columns) + " FROM (" + left + ") AS a JOIN (" + rawRelation(item, chunks)
                        + ") AS b ON " + String.join(" AND ", on) + (all ? "" : " WHERE " + key + " IS NOT NULL");
        return new ActorStatement(statement, Map.of());
    }

    /** Returns the names of a table's columns in a join result. */
    private List<String> columns(int item) {
        return IntStream.range(
                        0,
                        query.fragment()
                                .side("table to shuffle", item)
                                .columns()
                                .size())
                .mapToObj(i -> "c" + item + "_" + i)
                .toList();
    }

    private String column(int item, String column) {
        int place = query.fragment().side("table to shuffle", item).columns().indexOf(column);
        if (place < 0) {
            throw UniserveException.invalid("column " + column + " of table " + item + " of FROM is not sent");
        }
        return "c" + item + "_" + place;
    }

    private String rawRelation(int item, String chunks) {
        List<String> names = columns(item);
        return "SELECT "
                + IntStream.range(0, names.size())
                        .mapToObj(i -> "c" + i + " AS " + names.get(i))
                        .collect(Collectors.joining(", "))
                + " FROM " + chunks;
    }

    /**
     * Returns the statement for the partial answer of a slot.
     *
     * @param before reads the chunks of the result before the last link; empty if there are none
     * @param chunks reads the chunks of the last table; empty if there are none
     */
    public ActorStatement gather(Optional<String> before, Optional<String> chunks) {
        check();
        if (joinedLinks != links.size()) {
            throw UniserveException.invalid("a join of " + links.size() + " links ends at link " + joinedLinks);
        }
        List<Integer> order = order();
        List<Integer> known = order.subList(0, joinedLinks);
        FragmentedPlan split = query.fragment(known.size() > 1 ? known : List.of());
        Set<Integer> wanted = IntStream.range(0, split.sides().size())
                .filter(item -> !order.contains(item))
                .boxed()
                .collect(Collectors.toCollection(TreeSet::new));
        if (!query.sides().keySet().equals(wanted)) {
            throw UniserveException.invalid("a shuffled join of tables " + order + " of FROM needs the rows of tables "
                    + wanted + ", not of " + query.sides().keySet());
        }
        List<String> with = new ArrayList<>();
        for (int item : order) {
            boolean last = item == order.get(joinedLinks);
            boolean pair = known.size() > 1 && !last;
            String name = item == query.stationaryItem() ? StatementNaming.ROWS : StatementNaming.side(item);
            with.add(name + " AS (" + relation(split.sides().get(item), item, last ? chunks : before, pair) + ")");
        }
        Map<String, PackedRows> relations = new TreeMap<>();
        query.sides().forEach((place, packed) -> relations.put(StatementNaming.side(place), packed));
        String statement = "SELECT * FROM (WITH " + String.join(", ", with) + " " + split.partialStatement() + ")";
        query.addAnswers(statement, relations);
        return new ActorStatement(statement, relations, Map.of(), true);
    }

    /**
     * Returns a relation of chunks with the column names of the partial statement; without chunks an empty relation of these types.
     *
     * @param pair true for chunks of a join result
     */
    private String relation(Side side, int item, Optional<String> chunks, boolean pair) {
        List<String> columns = new ArrayList<>();
        List<String> joinedNames = columns(item);
        for (int i = 0; i < side.columns().size(); i++) {
            String column = side.columns().get(i);
            String value = chunks.isPresent()
                    ? pair ? joinedNames.get(i) : "c" + i
                    : "CAST(NULL AS " + type(query, side, column).sqlName() + ")";
            columns.add(value + " AS " + (item == query.stationaryItem() ? "\"" + column + "\"" : "c" + i));
        }
        if (pair) {
            columns.add(chunks.isPresent() ? StatementNaming.PAIR : "CAST(NULL AS BIGINT) AS " + StatementNaming.PAIR);
        }
        return "SELECT " + String.join(", ", columns)
                + chunks.map(from -> " FROM " + from).orElse(" WHERE 1 = 0");
    }
}
