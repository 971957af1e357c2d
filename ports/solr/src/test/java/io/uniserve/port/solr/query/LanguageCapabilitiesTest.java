package io.uniserve.port.solr.query;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.UniserveException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Table of three lines, some with a part that their expressions require. */
class LanguageCapabilitiesTest {
    private static final LanguageCapabilities TABLE = new LanguageCapabilities("""
            shape | any | (?s).* | anything
            yes | parameter | q fq* exact | any
            no | function | now rand | differs between replicas
            no | parser | join | needs both tables in one place
            pattern | function | \\b(NAMES)\\s*\\( | (
            pattern | parser | (?:\\{!|\\b(?:defType|type)=)(NAMES)\\b | {!,defType,type
            words | \\$ | ^fq=[\\w ]*$
            never | \\A(?=.*^exact=true$)(?=.*\\w~). | fuzzy terms are not exact | exact=true ~
            never | ^fq=(\\w+)\\?$ | fq with NAME and a question mark is not supported
            """);

    private static void check(String text) {
        Map<String, String[]> all = new LinkedHashMap<>();
        for (String line : text.split("&")) {
            int end = line.indexOf('=');
            all.put(line.substring(0, end), new String[] {line.substring(end + 1)});
        }
        String lines = LanguageCapabilities.toLines(all.entrySet());
        TABLE.check(all.entrySet(), lines);
        TABLE.checkParts(lines, found -> false);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "q=now() less",
                "q=rand\u2003(1)",
                "q=ra\\nd(1)",
                "q=r\\u0061nd(1)",
                "q=rand\\u0028 1)",
                "q=rand\\\\u0028 1)",
                "q={!join}x",
                "q={\\!join}x",
                "q=type=join",
                "q=defType=join x",
                "q=\\u007b!join}x",
                "q=word~&exact=true",
                "fq=word?",
            })
    void whatIsRefusedIsFoundHoweverItIsWritten(String query) {
        assertThatThrownBy(() -> check(query)).isInstanceOf(UniserveException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "q=now and then",
                "q=brand (new)",
                "q=word~",
                "q=\"a word\" ~&exact=true",
                "q=word&exact=true",
                "q={!term}x",
                "q=the types of join",
                "fq=rand join",
            })
    void otherTextsPass(String query) {
        assertThatCode(() -> check(query)).doesNotThrowAnyException();
    }
}
