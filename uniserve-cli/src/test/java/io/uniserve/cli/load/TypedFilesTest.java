package io.uniserve.cli.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.ExitCode;
import io.uniserve.cli.TestingCluster;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** CSV and bars into a table with typed columns. */
class TypedFilesTest {
    private final TestingCluster cluster = new TestingCluster();
    private final TestingConsole uniserve = new TestingConsole(bootstrap -> cluster);

    @TempDir
    private Path directory;

    @BeforeEach
    void createTable() {
        String columns = "columns=id bigint, name varchar, price decimal(15,2), day date, x double, ok boolean";
        uniserve.run("table", "create", "prices", "--port", "kv", "--actors", "4", "-O", columns);
    }

    private Run load(String name, String text, String... more) throws IOException {
        return load(name, text.getBytes(StandardCharsets.UTF_8), more);
    }

    private Run load(String name, byte[] bytes, String... more) throws IOException {
        Path file = Files.write(directory.resolve(name), bytes);
        String[] words = new String[3 + more.length];
        words[0] = "load";
        words[1] = "prices";
        words[2] = file.toString();
        System.arraycopy(more, 0, words, 3, more.length);
        return uniserve.run(words);
    }

    @Test
    void valuesAreOfTheColumnsTypes() throws IOException {
        Run run = load(
                "a.csv",
                "\ufeffname,id,price,day,x,ok\n\"Smith, \"\"J\"\"\",7,12.50,1998-12-01,1e3,true\n12,8,,,,\n日本,9,3,,,\n");
        assertThat(run.err()).doesNotContain("INVALID");
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(cluster.rows("prices").values())
                .extracting(row -> row.fields().toString())
                .containsExactlyInAnyOrder(
                        "{name=Smith, \"J\", id=7, price=12.50, day=1998-12-01, x=1000.0, ok=true}",
                        "{name=12, id=8}",
                        "{name=日本, id=9, price=3}");
        assertThat(cluster.rows("prices").values())
                .allSatisfy(row -> assertThat(row.fields().get("id")).isInstanceOf(Long.class));
    }

    @Test
    void barsWithAndWithoutTheLastOne() throws IOException {
        Run run = load("a.tbl", "1|one|0.10|1998-12-01|2|false|\n2|two|||| \n\n3|a, \"b\"||||\n");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("a.tbl line 2, column 6 (ok): \" \" is no boolean");
        assertThat(run.out()).startsWith("2 rows loaded").contains("1 rejected");
        assertThat(cluster.rows("prices").values())
                .extracting(row -> row.fields().toString())
                .containsExactlyInAnyOrder(
                        "{id=1, name=one, price=0.10, day=1998-12-01, x=2.0, ok=false}", "{id=3, name=a, \"b\"}");
        assertThat(load("b.tbl.1", "4|four|||||\n").exit()).isEqualTo(ExitCode.OK);
    }

    @Test
    void whatIsWrongIsToldWithLineAndColumn() throws IOException {
        Run run = load("a.csv", """
                id,name,price,day
                1,a,1.234,1998-12-01
                x,b,1,1998-12-01
                3,c,1,1998-02-31
                4,d,1
                5,e,1,1998-12-01
                9223372036854775808,f,1,
                """);
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err())
                .contains("a.csv line 2, column 3 (price): \"1.234\" is no decimal(15,2)")
                .contains("a.csv line 3, column 1 (id): \"x\" is no bigint")
                .contains("a.csv line 4, column 4 (day): \"1998-02-31\" is no date")
                .contains("a.csv line 5: 3 values for 4 columns")
                .contains("a.csv line 7, column 1 (id): \"9223372036854775808\" is no bigint");
        assertThat(run.out()).startsWith("1 rows loaded").contains("5 rejected");
        assertThat(cluster.rows("prices")).hasSize(1);
    }

    @Test
    void bytesThatAreNoTextAreToldWithTheirPlace() throws IOException {
        byte[] csv = "id,name\n1,ok\n2,b?d\n3,fine\n".getBytes(StandardCharsets.UTF_8);
        csv[new String(csv, StandardCharsets.UTF_8).indexOf('?')] = (byte) 0xff;
        Run run = load("a.csv", csv);
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("a.csv line 3, column 2 (name): is not UTF-8");
        assertThat(cluster.rows("prices")).hasSize(2);
        byte[] bars = "1|o?k|||||\n".getBytes(StandardCharsets.UTF_8);
        bars[3] = (byte) 0xc0;
        assertThat(load("a.tbl", bars).err()).contains("a.tbl line 1, column 2 (name): is not UTF-8");
    }

    @Test
    void aHeaderThatIsNotOfTheTableLoadsNothing() throws IOException {
        Run unknown = load("a.csv", "id,colour\n1,red\n");
        assertThat(unknown.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(unknown.err()).contains("a.csv line 1, column 2: \"colour\" is no column of the table");
        assertThat(load("b.csv", "name\nx\n").err())
                .contains("b.csv line 1: column \"id\" is missing, which tells rows apart");
        assertThat(cluster.rows("prices")).isEmpty();
    }

    @Test
    void anOpenQuoteEndsTheLoadWithWhatWasBeforeIt() throws IOException {
        Run run = load("a.csv", "id,name\n1,a\n2,\"b\n3,c\n", "--batch", "1");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("INVALID_ARGUMENT", "a.csv line ", "is not CSV");
        assertThat(run.out()).startsWith("1 rows loaded");
        assertThat(cluster.rows("prices")).hasSize(1);
    }

    @Test
    void barsNeedATableWithColumns() throws IOException {
        uniserve.run("table", "create", "words", "--port", "kv");
        Path file = Files.writeString(directory.resolve("a.tbl"), "1|x|\n");
        Run run = uniserve.run("load", "words", file.toString());
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("format tbl has no names of fields");
    }
}
