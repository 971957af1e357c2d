package io.uniserve.sql.plan;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.extra.ColumnSchema.Column;
import io.uniserve.api.extra.ColumnType;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.sql.engine.ActorStatement;
import io.uniserve.sql.engine.StatementNaming;
import io.uniserve.sql.parse.ParsedQuery;
import io.uniserve.sql.rows.PackedRows;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Request for one step of a query: the parameters of a port's operator. It has the user's text, which every actor checks and plans itself,
 * so that no client can make a server run a statement of the engine.
 *
 * @param text the query
 * @param tables all tables that it names, by their names there
 * @param stage the sub-query, or the query itself
 * @param step the step of the stage
 * @param stationaryItem the stationary table, by its place in FROM; -1 while it is not chosen
 * @param item the called table, by its place in FROM
 * @param sides rows of other tables, by their places in FROM
 * @param answers answers of other stages, by their numbers
 * @param colocatedTables tables of a co-located join, by their places in FROM: each actor's rows are joined only with those of the actor with the
 *     same number
 */
public record SqlQuery(
        String text,
        Map<String, ColumnSchema> tables,
        QueryStage stage,
        Step step,
        int stationaryItem,
        int item,
        Map<Integer, PackedRows> sides,
        Map<Integer, PackedRows> answers,
        Map<Integer, TableName> colocatedTables) {
    public static final Codec<SqlQuery> CODEC = Codecs.of(SqlQuery::write, SqlQuery::read);

    private static final Codec<Map<Integer, PackedRows>> ROWS = Codecs.map(Codecs.INT, PackedRows.CODEC);
    private static final Codec<List<Integer>> ITEMS = Codecs.list(Codecs.INT);
    private static final Codec<Map<Integer, TableName>> TABLES = Codecs.map(
            Codecs.INT, Codecs.of((out, name) -> out.writeString(name.value()), in -> new TableName(in.readString())));
    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

    private static final int SPLITS_MAX = 256;
    private static final int PLANS_MAX = 64;
    private static final LruCache<SplitKey, FragmentedPlan> SPLITS = new LruCache<>(SPLITS_MAX);
    private static final LruCache<PlanKey, QueryPlan> PLANS = new LruCache<>(PLANS_MAX);
    private static final LruCache<String, ParsedQuery> TEXTS = new LruCache<>(PLANS_MAX);

    /** Steps of a stage. */
    public enum Step {
        /** The number of rows that the table's own conditions leave. */
        COUNT,
        /** These rows, reduced to those that can have a partner in the sides. */
        SIDE,
        /** The partial answer of the table's rows, joined with all sides. */
        PARTIAL,
        /** The partial answer of an actor that has all rows of its groups: only groups that can be in the answer. */
        TOP,
        /** Late columns of rows of the answer. Their keys are given as the table's own side. */
        LATE
    }

    public SqlQuery {
        tables = QueryPlan.byName(tables);
        sides = Collections.unmodifiableMap(new TreeMap<>(sides));
        answers = Collections.unmodifiableMap(new TreeMap<>(answers));
        colocatedTables = Collections.unmodifiableMap(new TreeMap<>(colocatedTables));
    }

    private SqlQuery(
            String text,
            Map<String, ColumnSchema> tables,
            QueryStage stage,
            Step step,
            int stays,
            int item,
            Map<Integer, PackedRows> sides,
            Map<Integer, PackedRows> given) {
        this(text, tables, stage, step, stays, item, sides, given, Map.of());
    }

    /** Returns the query of one table. */
    public static SqlQuery of(String table, ColumnSchema columns, String text) {
        return of(text, Map.of(table, columns));
    }

    /** Returns a query's first step. */
    public static SqlQuery of(String text, Map<String, ColumnSchema> tables) {
        return new SqlQuery(
                text, tables, new QueryStage(QueryBlock.MAIN, false), Step.PARTIAL, -1, 0, Map.of(), Map.of());
    }

    /** Returns the request for another stage, with the answers of stages before it. */
    public SqlQuery withStage(QueryStage other, Map<Integer, PackedRows> answers) {
        return new SqlQuery(text, tables, other, Step.PARTIAL, -1, 0, Map.of(), answers);
    }

    /** Returns the request with or without late columns. */
    public SqlQuery withLateColumns(boolean late) {
        return withStageOnly(new QueryStage(stage.number(), stage.reduced(), late, stage.after(), stage.checked()));
    }

    /** Returns the request with these tables, by their places in FROM, looked up after the groups. */
    public SqlQuery withLookups(Set<Integer> items) {
        return withStageOnly(new QueryStage(stage.number(), stage.reduced(), stage.late(), items, stage.checked()));
    }

    private SqlQuery withStageOnly(QueryStage other) {
        return new SqlQuery(text, tables, other, step, stationaryItem, item, sides, answers);
    }

    /** Returns the request for another step of the same stage, with only those answers of other stages that the step reads. */
    public SqlQuery withStep(Step other, int staying, int asked, Map<Integer, PackedRows> rows) {
        return withStep(other, staying, asked, rows, Map.of());
    }

    /** Returns the request for a step with co-located joins. */
    public SqlQuery withStep(
            Step other, int staying, int asked, Map<Integer, PackedRows> rows, Map<Integer, TableName> joinedThere) {
        SqlQuery next = new SqlQuery(text, tables, stage, other, staying, asked, rows, answers, joinedThere);
        Map<Integer, PackedRows> read = new TreeMap<>(answers);
        String statement = next.statement(next.fragment()) + next.colocatedStatements() + next.subQueryStatements();
        read.keySet().removeIf(number -> !StatementNaming.reads(statement, number));
        return new SqlQuery(text, tables, stage, other, staying, asked, rows, read, joinedThere);
    }

    /** Returns the statements over co-located tables, to find the answers that they read. */
    private String colocatedStatements() {
        FragmentedPlan split = fragment();
        return colocatedTables.keySet().stream()
                .map(place -> split.side("table beside", place).colocatedStatement(""))
                .collect(Collectors.joining(" "));
    }

    private boolean isJoin() {
        return step == Step.PARTIAL || step == Step.TOP;
    }

    /** Returns the statements of checked sub-queries, to find the answers that they read. */
    private String subQueryStatements() {
        return stage.checked().keySet().stream()
                .filter(number -> isJoin())
                .map(number -> plan().colocatedSemiJoin(number).statement())
                .collect(Collectors.joining(" "));
    }

    /** Returns the request for the partial answer with all answers of other stages; some tables' rows come through a shuffle. */
    public SqlQuery withArrivedRows(int staying, Map<Integer, PackedRows> rows) {
        return new SqlQuery(text, tables, stage, Step.PARTIAL, staying, staying, rows, answers);
    }

    /** Returns the request without any rows, for steps that only need the text. */
    SqlQuery withoutRows() {
        return new SqlQuery(text, tables, stage, Step.PARTIAL, stationaryItem, stationaryItem, Map.of(), Map.of());
    }

    /** Adds the answers of other stages that a statement reads, under their names in it. */
    void addAnswers(String statement, Map<String, PackedRows> relations) {
        answers.forEach((number, rows) -> {
            if (StatementNaming.reads(statement, number)) {
                relations.put(StatementNaming.given(number), rows);
            }
        });
    }

    /** Returns column pairs that are equal in every row of the stage's join. */
    List<PredicatePushdown.Equality> equalities() {
        return plan().equalities(stage, stationaryItem);
    }

    /** Returns the tables that may be looked up after the groups. */
    public List<DeferredLookupJoin> lookups() {
        return plan().lookups(stage, stationaryItem);
    }

    /** Returns column pairs that LEFT JOINs of the stage equate. The column of the preserved side comes first. */
    List<PredicatePushdown.Equality> outerEqualities() {
        return plan().outerEqualities(stage, stationaryItem);
    }

    /**
     * Returns the statement for an actor. Fails with INVALID_ARGUMENT or UNSUPPORTED if there is none.
     *
     * @param own the actor's columns
     * @param actor its number
     */
    public ActorStatement work(ColumnSchema own, int actor) {
        FragmentedPlan split = fragment();
        FragmentedPlan.Side side = split.side("table to ask", item);
        if (!own.equals(tables.get(side.table()))) {
            throw UniserveException.invalid("table " + side.table() + " has other columns than the query was made for");
        }
        String statement = statement(split);
        Map<String, PackedRows> relations = new TreeMap<>();
        sides.forEach((place, rows) -> relations.put(StatementNaming.side(place), rows));
        if (step == Step.SIDE) {
            relations
                    .keySet()
                    .retainAll(side.reductions().stream()
                            .map(one -> StatementNaming.side(one.side()))
                            .toList());
        } else if (step == Step.LATE) {
            if (!sides.keySet().equals(Set.of(item))) {
                throw UniserveException.invalid(
                        "late columns of table " + item + " need its keys, not " + sides.keySet());
            }
        } else if (step != Step.COUNT) {
            relations.replaceAll((name, rows) -> rows.partition(actor));
            TreeSet<Integer> wanted = new TreeSet<>();
            for (int other = 0; other < split.sides().size(); other++) {
                if (other != item
                        && !colocatedTables.containsKey(other)
                        && !stage.after().contains(other)) {
                    wanted.add(other);
                }
            }
            if (item != split.stationaryItem() || !sides.keySet().equals(wanted)) {
                throw UniserveException.invalid(
                        "a partial answer needs the rows of tables " + wanted + " of FROM for table "
                                + split.stationaryItem() + ", not of " + sides.keySet() + " for table " + item);
            }
        } else {
            relations.clear();
        }
        addAnswers(statement + colocatedStatements() + subQueryStatements(), relations);
        Map<String, ActorStatement.Colocated> there = new TreeMap<>();
        if (isJoin()) {
            colocatedTables.forEach(
                    (place, table) -> there.put(StatementNaming.side(place), colocatedTable(split, place, table)));
            statement = addSubQueries(statement, side.table(), there);
        }
        return new ActorStatement(statement, relations, there, false);
    }

    /**
     * Returns the statement with the sub-queries that the actor checks from its own rows.
     *
     * @param there gets the sub-queries that read other tables
     */
    private String addSubQueries(String statement, String asked, Map<String, ActorStatement.Colocated> there) {
        List<String> with = new ArrayList<>();
        stage.checked().forEach((number, table) -> {
            ColocatedSemiJoin sub = plan().colocatedSemiJoin(number);
            ColumnSchema columns = tables.get(sub.table().table());
            if (columns == null) {
                throw UniserveException.invalid("table " + table + " of a sub-query is not known");
            }
            if (sub.table().table().equalsIgnoreCase(asked)) {
                with.add(sub.name() + " AS NOT MATERIALIZED (" + sub.statement() + ")");
            } else {
                there.put(sub.name(), new ActorStatement.Colocated(table, columns, sub::statement));
            }
        });
        return with.isEmpty() ? statement : "SELECT * FROM (WITH " + String.join(", ", with) + " " + statement + ")";
    }

    private ActorStatement.Colocated colocatedTable(FragmentedPlan split, int place, TableName table) {
        FragmentedPlan.Side side = split.side("table beside", place);
        ColumnSchema columns = tables.get(side.table());
        if (columns == null || place == item) {
            throw UniserveException.invalid(
                    "table " + place + " of FROM cannot be joined in place with the called one");
        }
        return new ActorStatement.Colocated(table, columns, side::colocatedStatement);
    }

    private String statement(FragmentedPlan split) {
        return switch (step) {
            case COUNT -> split.side("table to ask", item).countStatement();
            case SIDE -> split.side("table to ask", item).statement(sides.keySet());
            case PARTIAL -> partialStatement(split);
            case TOP ->
                split.top()
                        .orElseThrow(() -> UniserveException.invalid("the query's groups have no order and no HAVING"))
                        .statement();
            case LATE -> split.late(item).statement();
        };
    }

    /** Returns the partial statement. Only the query's own answer has no row limit. */
    public String partialStatement(FragmentedPlan split) {
        return stage.number() == QueryBlock.MAIN ? split.partialStatement() : split.limitedPartialStatement();
    }

    /** Returns the planned statements. They are cached, so that the actors of a server do not plan the same text again. */
    public FragmentedPlan fragment() {
        return fragment(List.of());
    }

    /** Returns the statements for tables whose rows come as they were joined: see {@link StatementNaming#PAIR}. */
    FragmentedPlan fragment(List<Integer> paired) {
        return SPLITS.get(
                new SplitKey(text, tables, stage, stationaryItem, paired),
                key -> plan().fragment(stage, stationaryItem, paired));
    }

    /** Returns the syntax tree of a text. It must not be modified. */
    public static ParsedQuery parse(String text) {
        return TEXTS.get(text, ParsedQuery::of);
    }

    /** Returns the query's stages. */
    public QueryPlan plan() {
        return PLANS.get(new PlanKey(text, tables), key -> QueryPlan.of(tables, text));
    }

    private static void write(BinaryWriter out, SqlQuery query) {
        out.writeString(query.text).writeInt(query.tables.size());
        query.tables.forEach((name, columns) -> {
            out.writeString(name).writeInt(columns.columns().size());
            columns.columns().forEach(column -> {
                out.writeString(column.name()).writeByte(column.type().kind().ordinal());
                out.writeByte(column.type().precision()).writeByte(column.type().scale());
            });
            out.writeInt(columns.primaryKey().size());
            columns.primaryKey().forEach(out::writeString);
        });
        out.writeInt(query.stage.number()).writeBoolean(query.stage.reduced()).writeBoolean(query.stage.late());
        ITEMS.write(out, List.copyOf(new TreeSet<>(query.stage.after())));
        TABLES.write(out, query.stage.checked());
        out.writeByte(query.step.ordinal()).writeInt(query.stationaryItem).writeInt(query.item);
        ROWS.write(out, query.sides);
        ROWS.write(out, query.answers);
        TABLES.write(out, query.colocatedTables);
    }

    private static SqlQuery read(BinaryReader in) {
        String text = in.readString();
        Map<String, ColumnSchema> tables = new LinkedHashMap<>();
        for (int left = in.readCount(2); left > 0; left--) {
            tables.put(in.readString(), columns(in));
        }
        QueryStage stage = new QueryStage(
                in.readInt(), in.readBoolean(), in.readBoolean(), new TreeSet<>(ITEMS.read(in)), TABLES.read(in));
        Step step = one(Step.values(), in.readByte(), "step");
        int stays = in.readInt();
        int item = in.readInt();
        return new SqlQuery(text, tables, stage, step, stays, item, ROWS.read(in), ROWS.read(in), TABLES.read(in));
    }

    private static ColumnSchema columns(BinaryReader in) {
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
            // Names become parts of statements, so they are validated.
            if (!NAME.matcher(name).matches() || !fits) {
                throw new UniserveException(ErrorCode.CORRUPT, "the request has a column with an invalid name or type");
            }
            columns.add(new Column(name, new ColumnType(kind, precision, scale)));
        }
        List<String> primary = new ArrayList<>();
        for (int left = in.readCount(4); left > 0; left--) {
            primary.add(in.readString());
        }
        if (!columns.stream().map(Column::name).toList().containsAll(primary)) {
            throw new UniserveException(ErrorCode.CORRUPT, "the request has a primary key that is no column");
        }
        return new ColumnSchema(columns, primary);
    }

    private static <T> T one(T[] all, int index, String what) {
        if (index < 0 || index >= all.length) {
            throw new UniserveException(ErrorCode.CORRUPT, what + " " + index + " is not known");
        }
        return all[index];
    }

    private record SplitKey(
            String text, Map<String, ColumnSchema> tables, QueryStage stage, int stays, List<Integer> paired) {}

    private record PlanKey(String text, Map<String, ColumnSchema> tables) {}

    /** LRU cache. Thread-safe; two threads may compute the same value. */
    private static final class LruCache<K, V> {
        private final Map<K, V> entries;

        LruCache(int max) {
            entries = new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                    return size() > max;
                }
            };
        }

        V get(K key, Function<K, V> making) {
            synchronized (entries) {
                V known = entries.get(key);
                if (known != null) {
                    return known;
                }
            }
            V made = making.apply(key);
            synchronized (entries) {
                entries.put(key, made);
            }
            return made;
        }
    }
}
