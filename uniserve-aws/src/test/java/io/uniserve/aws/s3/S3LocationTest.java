package io.uniserve.aws.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;

class S3LocationTest {
    @Test
    void aLocationHasBucketPrefixAndOptions() {
        S3Location all = S3Location.parse(
                "s3://backups/search/one?region=eu-central-1&endpoint=http://127.0.0.1:7070&path-style=true&kms-key=alias%2Fk&part-mib=64");
        assertThat(all.bucket()).isEqualTo("backups");
        assertThat(all.fullKey("a/b")).isEqualTo("search/one/a/b");
        assertThat(all.region()).contains("eu-central-1");
        assertThat(all.endpoint()).contains(URI.create("http://127.0.0.1:7070"));
        assertThat(all.pathStyle()).isTrue();
        assertThat(all.kmsKey()).contains("alias/k");
        assertThat(all.partBytes()).isEqualTo(64L << 20);
        assertThat(all.describe()).isEqualTo("s3://backups/search/one/ at http://127.0.0.1:7070");
        assertThat(S3Location.parse("s3://backups").fullKey("a")).isEqualTo("a");
        assertThat(S3Location.parse("s3://backups/").describe()).isEqualTo("s3://backups/");
    }

    @Test
    void wrongPartsAreNamed() {
        Map<String, String> wrong = Map.ofEntries(
                Map.entry("s3://", "no name of a bucket"),
                Map.entry("s3://B", "no name of a bucket"),
                Map.entry("s3://bucket/a//b", "prefix \"a//b/\""),
                Map.entry("s3://bucket/../x", "prefix"),
                Map.entry("s3://bucket/a b", "prefix"),
                Map.entry("s3://bucket/" + "x".repeat(300), "at most 256"),
                Map.entry("s3://bucket?path-style=yes", "true or false"),
                Map.entry("s3://bucket?part-mib=4", "5 to 1024"),
                Map.entry("s3://bucket?part-mib=-1", "5 to 1024"),
                Map.entry("s3://bucket?endpoint=ftp://x", "http://HOST:PORT"),
                Map.entry("s3://bucket?endpoint=http://user:secret@x", "http://HOST:PORT"),
                Map.entry("s3://bucket?regoin=x", "option regoin is unknown"),
                Map.entry("s3://bucket?region=", "no value"),
                Map.entry("s3://bucket?region=a&region=b", "given twice"));
        wrong.forEach((location, text) -> assertThatThrownBy(() -> S3Location.parse(location))
                .as(location)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
                .hasMessageContaining(text)
                .hasMessageNotContaining("secret"));
    }
}
