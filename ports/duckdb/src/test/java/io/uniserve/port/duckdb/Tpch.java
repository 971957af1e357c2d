package io.uniserve.port.duckdb;

import io.trino.tpch.TpchEntity;
import io.trino.tpch.TpchTable;
import io.uniserve.api.Document;
import io.uniserve.api.extra.ColumnSchema;
import java.util.ArrayList;
import java.util.List;

/** TPC-H by the generator of its definition: deterministic for a scale. */
final class Tpch {
    static final Table LINEITEM = new Table(
            "lineitem",
            "l_orderkey, l_linenumber",
            "l_orderkey bigint, l_partkey bigint, l_suppkey bigint, l_linenumber integer,"
                    + " l_quantity decimal(15,2), l_extendedprice decimal(15,2), l_discount decimal(15,2), l_tax decimal(15,2),"
                    + " l_returnflag varchar, l_linestatus varchar, l_shipdate date, l_commitdate date, l_receiptdate date,"
                    + " l_shipinstruct varchar, l_shipmode varchar, l_comment varchar");
    static final Table ORDERS = new Table(
            "orders",
            "o_orderkey",
            "o_orderkey bigint, o_custkey bigint, o_orderstatus varchar, o_totalprice decimal(15,2), o_orderdate date,"
                    + " o_orderpriority varchar, o_clerk varchar, o_shippriority integer, o_comment varchar");
    static final Table CUSTOMER = new Table(
            "customer",
            "c_custkey",
            "c_custkey bigint, c_name varchar, c_address varchar, c_nationkey bigint, c_phone varchar,"
                    + " c_acctbal decimal(15,2), c_mktsegment varchar, c_comment varchar");
    static final Table SUPPLIER = new Table(
            "supplier",
            "s_suppkey",
            "s_suppkey bigint, s_name varchar, s_address varchar, s_nationkey bigint, s_phone varchar,"
                    + " s_acctbal decimal(15,2), s_comment varchar");
    static final Table PART = new Table(
            "part",
            "p_partkey",
            "p_partkey bigint, p_name varchar, p_mfgr varchar, p_brand varchar, p_type varchar, p_size integer,"
                    + " p_container varchar, p_retailprice decimal(15,2), p_comment varchar");
    static final Table PARTSUPP = new Table(
            "partsupp",
            "ps_partkey, ps_suppkey",
            "ps_partkey bigint, ps_suppkey bigint, ps_availqty integer, ps_supplycost decimal(15,2), ps_comment varchar");
    static final Table NATION = new Table(
            "nation", "n_nationkey", "n_nationkey bigint, n_name varchar, n_regionkey bigint, n_comment varchar");
    static final Table REGION =
            new Table("region", "r_regionkey", "r_regionkey bigint, r_name varchar, r_comment varchar");

    static final String Q1 = "SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty,"
            + " sum(l_extendedprice) AS sum_base_price, sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,"
            + " sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge, avg(l_quantity) AS avg_qty,"
            + " avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc, count(*) AS count_order"
            + " FROM lineitem WHERE l_shipdate <= date '1998-12-01' - interval '90' day (3)"
            + " GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus";

    static final String Q3 = "SELECT l_orderkey, sum(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate,"
            + " o_shippriority FROM customer, orders, lineitem WHERE c_mktsegment = 'BUILDING'"
            + " AND c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate < date '1995-03-15'"
            + " AND l_shipdate > date '1995-03-15' GROUP BY l_orderkey, o_orderdate, o_shippriority"
            + " ORDER BY revenue DESC, o_orderdate LIMIT 10";

    static final String Q5 = "SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue"
            + " FROM customer, orders, lineitem, supplier, nation, region WHERE c_custkey = o_custkey"
            + " AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey"
            + " AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'ASIA'"
            + " AND o_orderdate >= date '1994-01-01' AND o_orderdate < date '1994-01-01' + interval '1' year"
            + " GROUP BY n_name ORDER BY revenue DESC";

    static final String Q6 = "SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem"
            + " WHERE l_shipdate >= date '1994-01-01' AND l_shipdate < date '1994-01-01' + interval '1' year"
            + " AND l_discount BETWEEN .06 - 0.01 AND .06 + 0.01 AND l_quantity < 24";

    static final String Q10 = "SELECT c_custkey, c_name, sum(l_extendedprice * (1 - l_discount)) AS revenue, c_acctbal,"
            + " n_name, c_address, c_phone, c_comment FROM customer, orders, lineitem, nation"
            + " WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= date '1993-10-01'"
            + " AND o_orderdate < date '1993-10-01' + interval '3' month AND l_returnflag = 'R'"
            + " AND c_nationkey = n_nationkey GROUP BY c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment"
            + " ORDER BY revenue DESC LIMIT 20";

    static final String Q12 = "SELECT l_shipmode, sum(CASE WHEN o_orderpriority = '1-URGENT'"
            + " OR o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END) AS high_line_count,"
            + " sum(CASE WHEN o_orderpriority <> '1-URGENT' AND o_orderpriority <> '2-HIGH' THEN 1 ELSE 0 END)"
            + " AS low_line_count FROM orders, lineitem WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP')"
            + " AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate AND l_receiptdate >= date '1994-01-01'"
            + " AND l_receiptdate < date '1994-01-01' + interval '1' year GROUP BY l_shipmode ORDER BY l_shipmode";

    static final String Q14 = "SELECT 100.00 * sum(CASE WHEN p_type LIKE 'PROMO%'"
            + " THEN l_extendedprice * (1 - l_discount) ELSE 0 END) / sum(l_extendedprice * (1 - l_discount))"
            + " AS promo_revenue FROM lineitem, part WHERE l_partkey = p_partkey AND l_shipdate >= date '1995-09-01'"
            + " AND l_shipdate < date '1995-09-01' + interval '1' month";

    static final String Q19 = "SELECT sum(l_extendedprice * (1 - l_discount)) AS revenue FROM lineitem, part"
            + " WHERE p_partkey = l_partkey AND ((p_brand = 'Brand#12' AND l_quantity BETWEEN 1 AND 11"
            + " AND p_size BETWEEN 1 AND 5) OR (p_brand = 'Brand#23' AND l_quantity BETWEEN 10 AND 20"
            + " AND p_size BETWEEN 1 AND 10)) AND l_shipmode IN ('AIR', 'REG AIR')";

    private Tpch() {}

    /** Table of TPC-H; the first of its primary columns is the partition key. */
    record Table(String name, String primary, String columns) {
        String key() {
            return primary.split(",")[0];
        }

        /** Returns lines in the form of the generator's files, with a bar after each value. */
        List<String> lines(double scale) {
            List<String> lines = new ArrayList<>();
            for (TpchEntity row : TpchTable.getTable(name).createGenerator(scale, 1, 1)) {
                lines.add(row.toLine());
            }
            return lines;
        }
    }

    static List<Document> documents(Table table, List<String> lines, ColumnSchema columns) {
        return lines.stream()
                .map(line -> columns.parseRow(
                        table.key(),
                        columns.names(),
                        List.of(line.split("\\|", -1))
                                .subList(0, columns.names().size())))
                .toList();
    }
}
