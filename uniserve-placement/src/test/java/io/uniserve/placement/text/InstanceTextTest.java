package io.uniserve.placement.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.placement.generate.InstanceGenerator;
import io.uniserve.placement.generate.InstanceParameters;
import io.uniserve.placement.model.Assignment;
import java.io.BufferedReader;
import java.io.StringReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InstanceTextTest {
    @Test
    void whatIsWrittenIsReadAgain() {
        PlacementInstance made = InstanceGenerator.make(
                new InstanceParameters(40, 30, 2, InstanceParameters.Change.DRIFT, InstanceParameters.Mix.MIXED, 1), 7);
        String text = InstanceWriter.write(made);
        PlacementInstance read = InstanceReader.read(new StringReader(text), "f");
        assertThat(InstanceWriter.write(read)).isEqualTo(text);
        assertThat(read.actors()).isEqualTo(40);
        assertThat(read.servers()).isEqualTo(4);
    }

    /** A file of two actors, two servers and one set, one word of which is replaced. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'2 2 16 1 1' | 'x 2 16 1 1' | line 1: the number of actors is 'x'",
                "'2 2 16 1 1' | '2 -2 16 1 1' | line 1: the number of servers is -2",
                "'2 2 16 1 1' | '2 2 16 0 1' | line 1: the least replicas is 0",
                "'0 1' | '0 2' | line 2: the server of actor 1 is 2",
                "'0.5 0.5' | '0.5 NaN' | line 3: the load of actor 1 is NaN",
                "'0.5 0.5' | '-1 0.5' | line 3: the load of actor 0 is -1",
                "'0.5 0.5' | '0.5 1e999' | line 3: the load of actor 1 is 1e999",
                "'0.5 0.5' | '0.5 half' | line 3: the load of actor 1 is 'half'",
                "'1 2 0 1' | '1 2 0 0' | line 5: shard set 1 has actor 0 twice",
                "'1 2 0 1' | '1 2 0 2' | line 5: an actor of shard set 1 is 2",
                "'1 2 0 1' | '1 3 0 1' | line 5: the size of shard set 1 is 3",
                "'1 2 0 1' | '1 2 0' | line 6: the file ends before an actor of shard set 1 is given",
                "'1 2 0 1' | '1 2 0 1 9' | line 5: there is text after",
            })
    void anErrorNamesTheLine(String right, String wrong, String error) {
        String good = "2 2 16 1 1\n0 1\n0.5 0.5\n1\n1 2 0 1\n";
        assertThat(InstanceReader.read(new StringReader(good), "f").actors()).isEqualTo(2);
        assertThatThrownBy(() -> InstanceReader.read(new StringReader(good.replace(right, wrong)), "f"))
                .hasMessageContaining("f, " + error);
    }

    @Test
    void placementsAreReadAgain() {
        Assignment placed = Assignment.of(new int[][] {{3, 1}, {}, {0}}, new double[][] {{0.25, 0.75}, {}, {1}});
        StringBuilder text = new StringBuilder("# made by a test\n");
        AssignmentText.write(text, 0, 0.5, "BALANCED", placed);
        AssignmentText.write(text, 1, 0.5, "", placed);
        assertThat(AssignmentText.read(new BufferedReader(new StringReader(text.toString())), "f", 3, 4))
                .containsExactly(placed, placed);
    }

    @ParameterizedTest
    @CsvSource({"0:1 0:0, line 2: server 0 is named twice", "7:1, line 2: server 7", "0:x, line 2: '0:x'"})
    void aWrongPlacementNamesTheLine(String row, String error) {
        BufferedReader in = new BufferedReader(new StringReader("round 0 1.0\n" + row + "\n1\n"));
        assertThatThrownBy(() -> AssignmentText.read(in, "f", 2, 2)).hasMessageContaining("f, " + error);
    }
}
