package io.uniserve.port.duckdb;

import io.trino.tpch.LineItem;
import io.trino.tpch.LineItemGenerator;
import io.uniserve.api.Document;
import java.util.ArrayList;
import java.util.List;

/** TPC-H's lineitem, by the generator of its definition: the same rows for the same scale, everywhere. */
final class Tpch {
    static final String COLUMNS = "l_orderkey bigint, l_partkey bigint, l_suppkey bigint, l_linenumber integer,"
            + " l_quantity decimal(15,2), l_extendedprice decimal(15,2), l_discount decimal(15,2), l_tax decimal(15,2),"
            + " l_returnflag varchar, l_linestatus varchar, l_shipdate date, l_commitdate date, l_receiptdate date,"
            + " l_shipinstruct varchar, l_shipmode varchar, l_comment varchar";
    static final String PRIMARY = "l_orderkey, l_linenumber";

    static final String Q1 = "SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty,"
            + " sum(l_extendedprice) AS sum_base_price, sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,"
            + " sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge, avg(l_quantity) AS avg_qty,"
            + " avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc, count(*) AS count_order"
            + " FROM lineitem WHERE l_shipdate <= date '1998-12-01' - interval '90' day (3)"
            + " GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus";

    static final String Q6 = "SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem"
            + " WHERE l_shipdate >= date '1994-01-01' AND l_shipdate < date '1994-01-01' + interval '1' year"
            + " AND l_discount BETWEEN .06 - 0.01 AND .06 + 0.01 AND l_quantity < 24";

    private Tpch() {}

    /** Lines as the generator's files have them, with a bar after each value. */
    static List<String> lines(double scale) {
        List<String> lines = new ArrayList<>();
        for (LineItem item : new LineItemGenerator(scale, 1, 1)) {
            lines.add(item.toLine());
        }
        return lines;
    }

    static List<Document> documents(List<String> lines, io.uniserve.api.Columns columns) {
        return lines.stream()
                .map(line -> columns.ofTexts(
                        "l_orderkey",
                        columns.names(),
                        List.of(line.split("\\|", -1))
                                .subList(0, columns.names().size())))
                .toList();
    }
}
