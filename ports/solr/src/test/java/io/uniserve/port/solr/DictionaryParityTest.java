package io.uniserve.port.solr;

import io.uniserve.api.Document;
import io.uniserve.testkit.solr.DictionaryCorpus;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** English short texts: entries of the GCIDE dictionary and glosses of WordNet, if their Debian packages are installed. */
class DictionaryParityTest extends Parity {
    DictionaryParityTest() {
        super(documents());
    }

    private static List<Document> documents() {
        List<Document> documents = DictionaryCorpus.documents(DOCUMENTS);
        Assumptions.assumeFalse(documents.isEmpty(), "Debian packages dict-gcide and wordnet-base are not installed");
        return documents;
    }
}
