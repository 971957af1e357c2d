package io.uniserve.benchmark.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Document;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Properties of the workloads, and rows of bulk inserts. */
class YcsbWorkloadTest {
    @ParameterizedTest
    @ValueSource(strings = {"a", "b", "c", "d", "e", "f", "scans", "hot"})
    void sharesOfOperationsAreOne(String name) {
        Map<String, String> properties = YcsbWorkload.load(name).properties();
        double sum = Stream.of("read", "update", "scan", "insert", "readmodifywrite")
                .mapToDouble(kind -> Double.parseDouble(properties.getOrDefault(kind + "proportion", "0")))
                .sum();
        assertThat(sum).isEqualTo(1);
        assertThat(properties)
                .containsEntry("workload", "site.ycsb.workloads.CoreWorkload")
                .containsEntry("dataintegrity", "true")
                .containsEntry("fieldlengthdistribution", "constant")
                .containsEntry("measurementtype", "hdrhistogram")
                .containsEntry("measurement.interval", "both");
    }

    @Test
    void scansAndTheHotEighthAreThoseOfThePapers() {
        assertThat(YcsbWorkload.load(YcsbWorkload.SCANS).properties())
                .containsEntry("minscanlength", "1000")
                .containsEntry("maxscanlength", "2000")
                .containsEntry("readallfields", "false");
        assertThat(YcsbWorkload.load(YcsbWorkload.HOT).properties())
                .containsEntry("hotspotdatafraction", "0.125")
                .containsEntry("hotspotopnfraction", "0.875")
                .containsEntry("insertorder", "ordered");
        assertThat(YcsbWorkload.core("E").scans()).isTrue();
        assertThat(YcsbWorkload.core("a").scans()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"kv", "mongodb", "duckdb"})
    void aBulkRowHasTenFieldsOfAHundredBytes(String name) {
        YcsbPort port = YcsbPort.named(name);
        Document row = port.bulkRow(17);
        assertThat(row).isEqualTo(port.bulkRow(17)).isNotEqualTo(port.bulkRow(18));
        assertThat(row.fields()).hasSize(11).containsEntry(port.keyField(), 17L);
        for (int i = 0; i < 10; i++) {
            assertThat(String.valueOf(row.fields().get("field" + i))).hasSize(100);
        }
    }
}
