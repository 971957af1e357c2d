package io.uniserve.port.monetdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trino.tpch.TpchEntity;
import io.trino.tpch.TpchTable;
import io.uniserve.api.Document;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.cluster.LocalCluster;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** TPC-H on two servers that share the process's MonetDB, compared to the cent with another engine with all rows. */
class MonetTpchTest {
    private static final double SCALE = 0.01;
    private static final int BATCH_ROWS = 10_000;
    private static final String LINEITEM =
            "l_orderkey bigint, l_partkey bigint, l_suppkey bigint, l_linenumber integer,"
                    + " l_quantity decimal(15,2), l_extendedprice decimal(15,2), l_discount decimal(15,2), l_tax decimal(15,2),"
                    + " l_returnflag varchar, l_linestatus varchar, l_shipdate date, l_commitdate date, l_receiptdate date,"
                    + " l_shipinstruct varchar, l_shipmode varchar, l_comment varchar";
    private static final String ORDERS = "o_orderkey bigint, o_custkey bigint, o_orderstatus varchar,"
            + " o_totalprice decimal(15,2), o_orderdate date, o_orderpriority varchar, o_clerk varchar,"
            + " o_shippriority integer, o_comment varchar";
    private static final String CUSTOMER = "c_custkey bigint, c_name varchar, c_address varchar, c_nationkey bigint,"
            + " c_phone varchar, c_acctbal decimal(15,2), c_mktsegment varchar, c_comment varchar";
    private static final String NATION = "n_nationkey bigint, n_name varchar, n_regionkey bigint, n_comment varchar";
    private static final Pattern VALUE =
            Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"|(-?[0-9.]+(?:[eE][-+]?\\d+)?|null)");

    @TempDir
    static Path directory;

    private static LocalCluster cluster;
    private static UniserveClient client;
    private static Connection whole;

    @BeforeAll
    static void start() throws Exception {
        cluster = LocalCluster.builder()
                .servers(2)
                .engine(new MonetEngine())
                .directory(directory.resolve("cluster"))
                .start();
        client = UniserveClient.builder()
                .bootstrap(cluster.bootstrap().toArray(String[]::new))
                .deadline(Duration.ofMinutes(2))
                .connectTimeout(Duration.ofMinutes(1))
                .build();
        whole = DriverManager.getConnection("jdbc:duckdb:");
        load("lineitem", LINEITEM, "l_orderkey, l_linenumber", 5, 2);
        load("orders", ORDERS, "o_orderkey", 3, 1);
        load("customer", CUSTOMER, "c_custkey", 3, 1);
        load("nation", NATION, "n_nationkey", 1, 1);
    }

    private static void load(String table, String columns, String primary, int actors, int replicas) throws Exception {
        String key = primary.split(",")[0];
        client.admin()
                .createTable(TableSpec.named(table)
                        .port("monetdb")
                        .keyField(key)
                        .hash(actors)
                        .replicas(replicas)
                        .option("columns", columns)
                        .option("primary", primary));
        ColumnSchema known = ColumnSchema.of(client.admin().describeTable(table).meta());
        List<String> lines = new ArrayList<>();
        List<Document> rows = new ArrayList<>();
        for (TpchEntity row : TpchTable.getTable(table).createGenerator(SCALE, 1, 1)) {
            String line = row.toLine().substring(0, row.toLine().length() - 1);
            lines.add(line);
            rows.add(known.parseRow(key, known.names(), List.of(line.split("\\|", -1))));
        }
        for (int from = 0; from < rows.size(); from += BATCH_ROWS) {
            List<Document> some = rows.subList(from, Math.min(rows.size(), from + BATCH_ROWS));
            client.table(table)
                    .update("monetdb.put@1", Document.CODEC, some)
                    .run()
                    .orThrow();
        }
        Path file = Files.write(directory.resolve(table + ".tbl"), lines);
        try (Statement statement = whole.createStatement()) {
            statement.execute("CREATE TABLE " + table + " (" + columns + ")");
            statement.execute("COPY " + table + " FROM '" + file + "' (DELIMITER '|', HEADER false)");
        }
    }

    @AfterAll
    static void stop() throws Exception {
        client.close();
        cluster.close();
        whole.close();
    }

    private static String ask(String table, String sql) {
        return client.query(table, sql).body().utf8();
    }

    /** Returns the values of an answer, truncated to six decimal digits. */
    private static List<String> values(String answer) {
        List<String> values = new ArrayList<>();
        Matcher value = VALUE.matcher(answer.substring(answer.indexOf("\"rows\":") + 7));
        while (value.find()) {
            values.add(value.group(1) != null ? value.group(1) : plain(value.group(2)));
        }
        return values;
    }

    private static String plain(String number) {
        return number.equals("null")
                ? number
                : new BigDecimal(number)
                        .setScale(6, RoundingMode.HALF_UP)
                        .stripTrailingZeros()
                        .toPlainString();
    }

    private static List<String> expected(String sql) throws Exception {
        List<String> values = new ArrayList<>();
        try (Statement statement = whole.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    Object value = rows.getObject(i);
                    values.add(value instanceof Number ? plain(value.toString()) : String.valueOf(value));
                }
            }
        }
        return values;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty, sum(l_extendedprice) AS sum_base_price,"
                        + " sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,"
                        + " sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge, avg(l_quantity) AS avg_qty,"
                        + " avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc, count(*) AS count_order"
                        + " FROM lineitem WHERE l_shipdate <= date '1998-12-01' - interval '90' day"
                        + " GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus",
                "SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem WHERE l_shipdate >= date '1994-01-01'"
                        + " AND l_shipdate < date '1994-01-01' + interval '1' year"
                        + " AND l_discount BETWEEN .06 - 0.01 AND .06 + 0.01 AND l_quantity < 24",
                "SELECT l_orderkey, sum(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate, o_shippriority"
                        + " FROM customer, orders, lineitem WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey"
                        + " AND l_orderkey = o_orderkey AND o_orderdate < date '1995-03-15' AND l_shipdate > date '1995-03-15'"
                        + " GROUP BY l_orderkey, o_orderdate, o_shippriority ORDER BY revenue DESC, o_orderdate LIMIT 10",
                "SELECT c_custkey, c_name, sum(l_extendedprice * (1 - l_discount)) AS revenue, c_acctbal, n_name, c_address,"
                        + " c_phone, c_comment FROM customer, orders, lineitem, nation WHERE c_custkey = o_custkey"
                        + " AND l_orderkey = o_orderkey AND o_orderdate >= date '1993-10-01'"
                        + " AND o_orderdate < date '1993-10-01' + interval '3' month AND l_returnflag = 'R'"
                        + " AND c_nationkey = n_nationkey GROUP BY c_custkey, c_name, c_acctbal, c_phone, n_name, c_address,"
                        + " c_comment ORDER BY revenue DESC LIMIT 20",
                "SELECT l_shipmode, sum(CASE WHEN o_orderpriority = '1-URGENT' OR o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END)"
                        + " AS high_line_count FROM orders, lineitem WHERE o_orderkey = l_orderkey"
                        + " AND l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate"
                        + " AND l_receiptdate >= date '1994-01-01' AND l_receiptdate < date '1994-01-01' + interval '1' year"
                        + " GROUP BY l_shipmode ORDER BY l_shipmode",
                "SELECT count(*), min(l_shipdate), max(l_comment), sum(l_linenumber) FROM lineitem",
                "SELECT extract(year from l_shipdate) AS y, sum(case when l_returnflag = 'R' then 1 else 0 end) AS r"
                        + " FROM lineitem GROUP BY extract(year from l_shipdate) ORDER BY 1",
                "SELECT c_custkey, count(o_orderkey) AS n, max(o_orderdate) FROM customer LEFT JOIN orders"
                        + " ON c_custkey = o_custkey AND o_orderdate < date '1993-01-01' GROUP BY c_custkey"
                        + " ORDER BY n DESC, c_custkey LIMIT 50",
                "SELECT l_orderkey, l_linenumber, l_extendedprice, l_shipdate, l_comment FROM lineitem"
                        + " WHERE l_comment LIKE '%furious%' AND l_shipmode IN ('AIR', 'MAIL')"
                        + " ORDER BY l_extendedprice DESC, l_orderkey, l_linenumber LIMIT 25 OFFSET 10",
                "SELECT DISTINCT l_returnflag, l_linestatus FROM lineitem ORDER BY 1, 2",
                "SELECT l_returnflag, count(*) FILTER (WHERE l_tax IS DISTINCT FROM 0), sum(l_quantity) FILTER (WHERE"
                        + " (l_discount > 0.05) IS NOT TRUE) FROM lineitem GROUP BY l_returnflag ORDER BY 1",
                "SELECT count(*), count(*) FILTER (WHERE (o_totalprice > 100000) IS NOT TRUE), count(*) FILTER (WHERE"
                        + " (o_totalprice > 100000) IS FALSE), count(*) FILTER (WHERE o_clerk IS DISTINCT FROM c_name) FROM customer"
                        + " LEFT JOIN orders ON c_custkey = o_custkey",
                "SELECT avg(DISTINCT l_linenumber), avg(DISTINCT l_discount) FROM lineitem",
                "SELECT l_orderkey FROM lineitem WHERE l_orderkey < 0"
            })
    void answersAreThoseOfAnotherEngineWithAllRows(String sql) throws Exception {
        String table = sql.replaceFirst("(?s).*? FROM (lineitem|orders|customer)\\b.*", "$1");
        assertThat(values(ask(table, sql))).isEqualTo(expected(sql));
    }

    @Test
    void aggregatesThatAreMadeOfOthers() throws Exception {
        String flags = "SELECT l_returnflag, CASE WHEN bool_and(l_quantity > 1) THEN 1 ELSE 0 END,"
                + " CASE WHEN bool_or(l_tax > 0.07) THEN 1 ELSE 0 END FROM lineitem GROUP BY l_returnflag ORDER BY l_returnflag";
        assertThat(values(ask("lineitem", flags))).isEqualTo(expected(flags));
        assertThat(values(
                        ask("lineitem", "SELECT approx_count_distinct(l_suppkey), any_value(l_suppkey) FROM lineitem")))
                .isEqualTo(expected("SELECT count(DISTINCT l_suppkey), min(l_suppkey) FROM lineitem"));
    }

    @Test
    void daysAndTextsOfAllKindsComeBack() {
        client.admin()
                .createTable(TableSpec.named("odd")
                        .port("monetdb")
                        .keyField("id")
                        .hash(2)
                        .option("columns", "id varchar, born date, ok boolean, x double"));
        ColumnSchema columns =
                ColumnSchema.of(client.admin().describeTable("odd").meta());
        List<String> days = List.of("0001-01-01", "1582-10-14", "1969-12-31", "1970-01-01", "9999-12-31");
        List<Document> rows = days.stream()
                .map(day -> columns.parseRow("id", columns.names(), List.of("😀 é 日本 " + day, day, "", "")))
                .toList();
        client.table("odd").update("monetdb.put@1", Document.CODEC, rows).run().orThrow();
        assertThat(values(ask("odd", "SELECT born, ok, x, id FROM odd WHERE id LIKE '😀%' ORDER BY born")))
                .isEqualTo(days.stream()
                        .flatMap(day -> List.of(day, "null", "null", "😀 é 日本 " + day).stream())
                        .toList());
    }

    /** MonetDBLite itself finds no partners in a join by a text, or a date, combined with another equality. */
    @Test
    void joinsByTextsDaysAndNumbersFindTheirPartners() throws Exception {
        for (String sql : List.of(
                "SELECT count(*) FROM orders, lineitem WHERE o_orderdate = l_shipdate AND o_orderkey = l_orderkey",
                "SELECT count(*) FROM lineitem, orders WHERE o_comment = l_comment AND o_orderkey = l_orderkey",
                "SELECT count(*) FROM customer a, customer b WHERE a.c_name = b.c_name AND a.c_custkey = b.c_custkey"
                        + " AND a.c_custkey < 500 AND b.c_custkey < 600")) {
            String table = sql.replaceFirst("(?s).*? FROM (lineitem|orders|customer)\\b.*", "$1");
            assertThat(values(ask(table, sql))).as(sql).isEqualTo(expected(sql));
        }
        assertThatThrownBy(() -> ask(
                        "customer",
                        "SELECT count(*) FROM customer a, customer b WHERE a.c_custkey = b.c_custkey"
                                + " AND upper(a.c_name) = upper(b.c_name) AND a.c_custkey < 9 AND b.c_custkey < 9"))
                .hasMessageContaining(
                        "line 1, column 81: a join by a computed value beside another equality on MonetDB");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT l_orderkey / (l_linenumber - 1) FROM lineitem LIMIT 9 | INVALID_ARGUMENT",
                "SELECT 9223372036854775806 + l_orderkey FROM lineitem LIMIT 1 | INVALID_ARGUMENT",
                "SELECT 9223372036854775807 + l_orderkey FROM lineitem LIMIT 1 | UNSUPPORTED",
                "SELECT CAST(l_comment AS bigint) FROM lineitem LIMIT 1 | INVALID_ARGUMENT"
            })
    void whatMonetDbCannotDoIsTheUsersError(String sql, ErrorCode code) {
        assertThatThrownBy(() -> ask("lineitem", sql))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining("MonetDB");
    }

    /** Errors have their place in the query, although MonetDB gets only statements derived from it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT TRIM(l_comment) FROM lineitem LIMIT 1 | line 1, column 8: TRIM on MonetDB is not supported",
                "SELECT 1 FROM lineitem WHERE 'x' = TRIM(BOTH 'y' FROM l_comment) | line 1, column 36: TRIM on",
                "SELECT median(l_quantity) FROM lineitem | line 1, column 8: MEDIAN on MonetDB is not supported",
                "SELECT 1 FROM lineitem GROUP BY l_linenumber HAVING stddev(l_quantity) > 1 | line 1, column 53: STDDEV on",
                "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY l_tax) FROM lineitem | line 1, column 8: PERCENTILE_CONT on",
                "SELECT listagg(DISTINCT l_comment) FROM lineitem | line 1, column 8: LISTAGG on",
                "SELECT count(*) FROM lineitem WHERE l_comment = '\\' | line 1, column 49: a backslash on MonetDB is",
                "SELECT 1 FROM lineitem WHERE l_orderkey IN (SELECT o_orderkey FROM orders) | line 1, column 45: a sub-query on",
                "SELECT 1 FROM orders WHERE EXISTS (SELECT 1 FROM lineitem WHERE l_orderkey = o_orderkey) | line 1, column 35: a sub-query on",
                "SELECT (SELECT max(o_orderkey) FROM orders) AS m, l_orderkey FROM lineitem | line 1, column 8: a sub-query on",
                "SELECT n FROM (SELECT count(*) AS n FROM lineitem) AS c | line 1, column 16: a query in FROM or WITH with groups",
                "WITH c AS (SELECT l_orderkey AS k, count(*) AS n FROM lineitem GROUP BY l_orderkey) SELECT n FROM c | line 1, column 12: a query in FROM or WITH with groups",
                "SELECT 1 FROM orders LEFT JOIN (SELECT l_orderkey AS k FROM lineitem) AS l ON k = o_orderkey | line 1, column 33: a query in FROM or WITH with groups",
                "SELECT count(*) FROM lineitem JOIN orders ON upper(o_comment) = l_comment WHERE o_orderkey = l_orderkey | line 1, column 46: a join by a computed value"
            })
    void whatOnlyMonetDbCannotDoIsToldWithItsPlace(String sql, String message) {
        String table = sql.contains("FROM lineitem") ? "lineitem" : "orders";
        assertThatThrownBy(() -> ask(table, sql))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
                .hasMessageContaining(message);
    }

    @Test
    void aDecimalOfMoreDigitsThanItHasIsRefused() {
        assertThatThrownBy(() -> client.admin()
                        .createTable(TableSpec.named("wide")
                                .port("monetdb")
                                .keyField("id")
                                .hash(1)
                                .option("columns", "id bigint, x decimal(19,2)")))
                .hasMessageContaining("column \"x\": a decimal of port monetdb has at most 18 digits");
    }
}
