package io.uniserve.sql;

import io.uniserve.api.extra.ColumnType;
import io.uniserve.api.extra.Columns;
import io.uniserve.api.extra.Columns.Column;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What an actor is asked for a query, the parameters of a port's operator. What travels is the user's text, which every
 * actor checks and splits itself: no client can have a server run a statement of the engine's own.
 *
 * @param text the query
 * @param tables all that it names, by their names there
 * @param stage which of its sub-queries is asked for, or the query itself
 * @param step what of it
 * @param stays the table that stays in its place while the others' rows are sent to it, by its place in FROM; -1 while that
 *     is not known
 * @param item the table that is asked, by its place in FROM
 * @param sides rows of other tables, by their places in FROM
 * @param given answers of other stages, by their numbers
 * @param beside tables that are read where the table that stays is, by their places in FROM: each actor's rows meet those of
 *     the actor with the same number only
 */
public record SqlQuery(
        String text,
        Map<String, Columns> tables,
        Stage stage,
        Step step,
        int stays,
        int item,
        Map<Integer, PackedRows> sides,
        Map<Integer, PackedRows> given,
        Map<Integer, TableName> beside) {
    public static final Codec<SqlQuery> CODEC = Codecs.of(SqlQuery::write, SqlQuery::read);

    private static final Codec<Map<Integer, PackedRows>> ROWS = Codecs.map(Codecs.INT, PackedRows.CODEC);
    private static final Codec<List<Integer>> ITEMS = Codecs.list(Codecs.INT);
    private static final Codec<Map<Integer, TableName>> TABLES = Codecs.map(
            Codecs.INT, Codecs.of((out, name) -> out.writeString(name.value()), in -> new TableName(in.readString())));
    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

    private static final int SPLITS_MAX = 256;
    private static final int PLANS_MAX = 64;
    private static final Latest<SplitKey, FragmentedPlan> SPLITS = new Latest<>(SPLITS_MAX);
    private static final Latest<PlanKey, QueryPlan> PLANS = new Latest<>(PLANS_MAX);
    private static final Latest<String, ParsedQuery> TEXTS = new Latest<>(PLANS_MAX);

    /**
     * A part of a query that is answered by itself.
     *
     * @param number 0 for the query itself
     * @param reduced true where only rows count that the query around it can use, whose values are given
     * @param late true where columns that only show in the answer are fetched when it is known which rows it has
     * @param after tables that are not joined, by their places in FROM: all that is wanted of them is fetched then
     * @param checked sub-queries, by their stages, that each actor of the table that stays answers for itself, of its own rows
     *     or of those beside it, and the tables that these read
     */
    public record Stage(
            int number, boolean reduced, boolean late, Set<Integer> after, Map<Integer, TableName> checked) {
        public Stage {
            after = Collections.unmodifiableSet(new TreeSet<>(after));
            checked = Collections.unmodifiableMap(new TreeMap<>(checked));
        }

        /** With the answers of all sub-queries. */
        public Stage(int number, boolean reduced, boolean late, Set<Integer> after) {
            this(number, reduced, late, after, Map.of());
        }

        /** With all tables joined. */
        public Stage(int number, boolean reduced, boolean late) {
            this(number, reduced, late, Set.of());
        }

        /** With all columns at once. */
        public Stage(int number, boolean reduced) {
            this(number, reduced, false);
        }
    }

    /** The steps of a query. */
    public enum Step {
        /** How many rows of the table its own conditions leave. */
        COUNT,
        /** Those rows, as far as they may have a partner in the sides. */
        SIDE,
        /** What the table's rows, joined with all sides, contribute to the answer. */
        PARTIAL,
        /** The same of an actor whose groups no other actor has rows of: only groups that may be in the answer. */
        TOP,
        /** Columns of rows that the answer shows, whose keys are given as the table's own side. */
        LATE
    }

    public SqlQuery {
        tables = byName(tables);
        sides = Collections.unmodifiableMap(new TreeMap<>(sides));
        given = Collections.unmodifiableMap(new TreeMap<>(given));
        beside = Collections.unmodifiableMap(new TreeMap<>(beside));
    }

    private SqlQuery(
            String text,
            Map<String, Columns> tables,
            Stage stage,
            Step step,
            int stays,
            int item,
            Map<Integer, PackedRows> sides,
            Map<Integer, PackedRows> given) {
        this(text, tables, stage, step, stays, item, sides, given, Map.of());
    }

    /** SQL does not tell large letters from small ones. */
    static <T> Map<String, T> byName(Map<String, T> tables) {
        Map<String, T> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(tables);
        return Collections.unmodifiableMap(all);
    }

    /** A query of one table. */
    public static SqlQuery of(String table, Columns columns, String text) {
        return of(text, Map.of(table, columns));
    }

    /** A query's first step, before anything is known. */
    static SqlQuery of(String text, Map<String, Columns> tables) {
        return new SqlQuery(text, tables, new Stage(QueryBlock.MAIN, false), Step.PARTIAL, -1, 0, Map.of(), Map.of());
    }

    /** The same of another stage, with the answers of stages before. */
    SqlQuery with(Stage other, Map<Integer, PackedRows> answers) {
        return new SqlQuery(text, tables, other, Step.PARTIAL, -1, 0, Map.of(), answers);
    }

    /** The same with late columns, or without. */
    SqlQuery late(boolean late) {
        return staged(new Stage(stage.number, stage.reduced, late, stage.after, stage.checked));
    }

    /** The same where these tables, by their places in FROM, come after the groups. */
    SqlQuery after(Set<Integer> items) {
        return staged(new Stage(stage.number, stage.reduced, stage.late, items, stage.checked));
    }

    private SqlQuery staged(Stage other) {
        return new SqlQuery(text, tables, other, step, stays, item, sides, given);
    }

    /** Another step of the same stage, with no more than it needs of the answers of others. */
    SqlQuery with(Step other, int staying, int asked, Map<Integer, PackedRows> rows) {
        return with(other, staying, asked, rows, Map.of());
    }

    /** The same where tables are joined beside the one that stays. */
    SqlQuery with(
            Step other, int staying, int asked, Map<Integer, PackedRows> rows, Map<Integer, TableName> joinedThere) {
        SqlQuery next = new SqlQuery(text, tables, stage, other, staying, asked, rows, given, joinedThere);
        Map<Integer, PackedRows> read = new TreeMap<>(given);
        String statement = next.statement(next.split()) + next.besideStatements() + next.checkedStatements();
        read.keySet().removeIf(number -> !FragmentedPlan.reads(statement, number));
        return new SqlQuery(text, tables, stage, other, staying, asked, rows, read, joinedThere);
    }

    /** What is read of the tables beside, for a look at what it names. */
    private String besideStatements() {
        FragmentedPlan split = split();
        return beside.keySet().stream()
                .map(place -> split.side("table beside", place).beside(""))
                .collect(Collectors.joining(" "));
    }

    private boolean joins() {
        return step == Step.PARTIAL || step == Step.TOP;
    }

    /** What is read of sub-queries that are checked there, for the same look. */
    private String checkedStatements() {
        return stage.checked.keySet().stream()
                .filter(number -> joins())
                .map(number -> plan().checked(number).statement())
                .collect(Collectors.joining(" "));
    }

    /** The partial answer of the same stage, of which some rows of other tables come in another way; with all answers. */
    SqlQuery given(int staying, Map<Integer, PackedRows> rows) {
        return new SqlQuery(text, tables, stage, Step.PARTIAL, staying, staying, rows, given);
    }

    /** The same stage without any rows: for steps that only look at what the text means. */
    SqlQuery bare() {
        return new SqlQuery(text, tables, stage, Step.PARTIAL, stays, stays, Map.of(), Map.of());
    }

    /** Puts the answers of other stages that a statement reads under the names that it has for them. */
    void giveTo(String statement, Map<String, PackedRows> relations) {
        given.forEach((number, rows) -> {
            if (FragmentedPlan.reads(statement, number)) {
                relations.put(FragmentedPlan.given(number), rows);
            }
        });
    }

    /** Columns of two tables that are equal in every row of the stage's join. */
    List<PredicatePushdown.Equality> equalities() {
        return plan().equalities(stage, stays);
    }

    /** Tables that may come after the groups. */
    List<DeferredLookupJoin> lookups() {
        return plan().lookups(stage, stays);
    }

    /** Columns that LEFT JOINs of the stage want to be equal, that of the side whose rows all count first. */
    List<PredicatePushdown.Equality> partners() {
        return plan().partners(stage, stays);
    }

    /**
     * What an engine does for it.
     *
     * @param statement over the actor's rows and the relations
     * @param relations by the names that the statement has for them
     * @param once it will not be asked again word for word, as it names files of this query
     */
    public record Work(String statement, Map<String, PackedRows> relations, Map<String, Beside> beside, boolean once) {
        /** One that reads nothing beside the actor. */
        public Work(String statement, Map<String, PackedRows> relations) {
            this(statement, relations, Map.of(), false);
        }

        /** Whether the statement over the actor alone may be asked again. */
        public boolean recurs() {
            return !once && relations.isEmpty() && beside.isEmpty();
        }

        /**
         * The statement with all that it reads beside the actor; empty where some of that is not there.
         *
         * @param type of the port's actors
         * @param place how the engine names such an actor's table, for a FROM
         */
        public <A extends SqlShuffle.Table> Optional<String> statement(
                OperatorContext context, Class<A> type, Function<A, String> place) {
            List<String> with = new ArrayList<>();
            for (Map.Entry<String, Beside> one : beside.entrySet()) {
                Optional<String> there = context.beside(one.getValue().table)
                        .filter(type::isInstance)
                        .map(type::cast)
                        .filter(actor -> actor.columns().equals(one.getValue().columns))
                        .map(place);
                if (there.isEmpty()) {
                    return Optional.empty();
                }
                with.add(one.getKey() + " AS NOT MATERIALIZED ("
                        + one.getValue().statement.apply(there.get()) + ")");
            }
            return Optional.of(
                    with.isEmpty()
                            ? statement
                            : "SELECT * FROM (WITH " + String.join(", ", with) + " " + statement + ")");
        }

        /** The relations' rows; CORRUPT where they are none. */
        public Map<String, SqlRows> unpacked() {
            Map<String, SqlRows> rows = new TreeMap<>();
            relations.forEach((name, packed) -> rows.put(name, packed.unpacked()));
            return rows;
        }
    }

    /**
     * A table that is read where the actor is.
     *
     * @param statement over it, by the place where it is
     */
    record Beside(TableName table, Columns columns, UnaryOperator<String> statement) {}

    /**
     * The statement for an actor; INVALID_ARGUMENT or UNSUPPORTED where there is none.
     *
     * @param own the actor's columns
     * @param actor its number
     */
    public Work work(Columns own, int actor) {
        FragmentedPlan split = split();
        FragmentedPlan.Side side = split.side("table to ask", item);
        if (!own.equals(tables.get(side.table()))) {
            throw UniserveException.invalid("table " + side.table() + " has other columns than the query was made for");
        }
        String statement = statement(split);
        Map<String, PackedRows> relations = new TreeMap<>();
        sides.forEach((place, rows) -> relations.put(FragmentedPlan.side(place), rows));
        if (step == Step.SIDE) {
            relations
                    .keySet()
                    .retainAll(side.reductions().stream()
                            .map(one -> FragmentedPlan.side(one.side()))
                            .toList());
        } else if (step == Step.LATE) {
            if (!sides.keySet().equals(Set.of(item))) {
                throw UniserveException.invalid(
                        "late columns of table " + item + " want its keys, not " + sides.keySet());
            }
        } else if (step != Step.COUNT) {
            relations.replaceAll((name, rows) -> rows.share(actor));
            TreeSet<Integer> wanted = new TreeSet<>();
            for (int other = 0; other < split.sides().size(); other++) {
                if (other != item && !beside.containsKey(other) && !stage.after.contains(other)) {
                    wanted.add(other);
                }
            }
            if (item != split.stays() || !sides.keySet().equals(wanted)) {
                throw UniserveException.invalid("a partial answer wants the rows of tables " + wanted
                        + " of FROM for table " + split.stays() + ", not of " + sides.keySet() + " for table " + item);
            }
        } else {
            relations.clear();
        }
        giveTo(statement + besideStatements() + checkedStatements(), relations);
        Map<String, Beside> there = new TreeMap<>();
        if (joins()) {
            beside.forEach((place, table) -> there.put(FragmentedPlan.side(place), beside(split, place, table)));
            statement = checking(statement, side.table(), there);
        }
        return new Work(statement, relations, there, false);
    }

    /**
     * The statement with the sub-queries that it checks, as far as they read the table that is asked.
     *
     * @param there gets those that read other tables
     */
    private String checking(String statement, String asked, Map<String, Beside> there) {
        List<String> with = new ArrayList<>();
        stage.checked.forEach((number, table) -> {
            ColocatedSemiJoin sub = plan().checked(number);
            Columns columns = tables.get(sub.table().table());
            if (columns == null) {
                throw UniserveException.invalid("table " + table + " of a sub-query is not known");
            }
            if (sub.table().table().equalsIgnoreCase(asked)) {
                with.add(sub.name() + " AS NOT MATERIALIZED (" + sub.statement() + ")");
            } else {
                there.put(sub.name(), new Beside(table, columns, sub::statement));
            }
        });
        return with.isEmpty() ? statement : "SELECT * FROM (WITH " + String.join(", ", with) + " " + statement + ")";
    }

    private Beside beside(FragmentedPlan split, int place, TableName table) {
        FragmentedPlan.Side side = split.side("table beside", place);
        Columns columns = tables.get(side.table());
        if (columns == null || place == item) {
            throw UniserveException.invalid("table " + place + " of FROM cannot be beside the one that is asked");
        }
        return new Beside(table, columns, side::beside);
    }

    private String statement(FragmentedPlan split) {
        return switch (step) {
            case COUNT -> split.side("table to ask", item).count();
            case SIDE -> split.side("table to ask", item).statement(sides.keySet());
            case PARTIAL -> part(split);
            case TOP ->
                split.top()
                        .orElseThrow(() -> UniserveException.invalid("the query's groups have no order and no HAVING"))
                        .statement();
            case LATE -> split.late(item).statement();
        };
    }

    /** What an actor of the table that stays is asked for; the query's own answer may be as large as it likes. */
    String part(FragmentedPlan split) {
        return stage.number == QueryBlock.MAIN ? split.partial() : split.part();
    }

    /** The query as statements; the actors of a server need not parse the same text again. */
    FragmentedPlan split() {
        return split(List.of());
    }

    /** The same where the rows of some tables come as they were joined: see {@link ShuffleQuery#PAIR}. */
    FragmentedPlan split(List<Integer> paired) {
        return SPLITS.get(new SplitKey(text, tables, stage, stays, paired), key -> plan().split(stage, stays, paired));
    }

    /** A text as a tree that is only looked at. */
    static ParsedQuery parsed(String text) {
        return TEXTS.get(text, ParsedQuery::of);
    }

    /** The query's stages. */
    QueryPlan plan() {
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
            out.writeInt(columns.primary().size());
            columns.primary().forEach(out::writeString);
        });
        out.writeInt(query.stage.number).writeBoolean(query.stage.reduced).writeBoolean(query.stage.late);
        ITEMS.write(out, List.copyOf(new TreeSet<>(query.stage.after)));
        TABLES.write(out, query.stage.checked);
        out.writeByte(query.step.ordinal()).writeInt(query.stays).writeInt(query.item);
        ROWS.write(out, query.sides);
        ROWS.write(out, query.given);
        TABLES.write(out, query.beside);
    }

    private static SqlQuery read(BinaryReader in) {
        String text = in.readString();
        Map<String, Columns> tables = new LinkedHashMap<>();
        for (int left = in.readCount(2); left > 0; left--) {
            tables.put(in.readString(), columns(in));
        }
        Stage stage = new Stage(
                in.readInt(), in.readBoolean(), in.readBoolean(), new TreeSet<>(ITEMS.read(in)), TABLES.read(in));
        Step step = one(Step.values(), in.readByte(), "step");
        int stays = in.readInt();
        int item = in.readInt();
        return new SqlQuery(text, tables, stage, step, stays, item, ROWS.read(in), ROWS.read(in), TABLES.read(in));
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
            if (!NAME.matcher(name).matches() || !fits) {
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

    private record SplitKey(String text, Map<String, Columns> tables, Stage stage, int stays, List<Integer> paired) {}

    private record PlanKey(String text, Map<String, Columns> tables) {}

    /** What was made last; safe for use by several threads, of which two may make the same. */
    private static final class Latest<K, V> {
        private final Map<K, V> all;

        Latest(int max) {
            all = new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                    return size() > max;
                }
            };
        }

        V get(K key, Function<K, V> making) {
            synchronized (all) {
                V known = all.get(key);
                if (known != null) {
                    return known;
                }
            }
            V made = making.apply(key);
            synchronized (all) {
                all.put(key, made);
            }
            return made;
        }
    }
}
