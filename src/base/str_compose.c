/*
 * Letters with combining marks as one code point each: canonical composition (Unicode Standard
 * Annex 15) of the Latin, Greek and Cyrillic letters that have such a code point. Others stay as
 * they are: a cell of the screen has room for one.
 */
#include "base/str.h"

/* Of each mark, the letters that it goes with, and in the same order what they become. */
static const struct marked {
    uint32_t mark;
    const char *base, *whole;
} table[] = {
    /* clang-format off */
    {0x300,
     "AEIOUaeiouÜüNnЕИеиĒēŌōWwÂâĂăÊêÔôƠơƯưYy",
     "ÀÈÌÒÙàèìòùǛǜǸǹЀЍѐѝḔḕṐṑẀẁẦầẰằỀềỒồỜờỪừỲỳ"},
    {0x301,
     "AEIOUYaeiouyCcLlNnRrSsZzÜüGgÅåÆæØøΑΕΗΙΟΥΩϊαεηιϋουωГКгкÇçĒēÏï"
     "KkMmÕõŌōPpŨũWwÂâĂăÊêÔôƠơƯư",
     "ÁÉÍÓÚÝáéíóúýĆćĹĺŃńŔŕŚśŹźǗǘǴǵǺǻǼǽǾǿΆΈΉΊΌΎΏΐάέήίΰόύώЃЌѓќḈḉḖḗḮḯ"
     "ḰḱḾḿṌṍṒṓṔṕṸṹẂẃẤấẮắẾếỐốỚớỨứ"},
    {0x302,
     "AEIOUaeiouCcGgHhJjSsWwYyZzẠạẸẹỌọ",
     "ÂÊÎÔÛâêîôûĈĉĜĝĤĥĴĵŜŝŴŵŶŷẐẑẬậỆệỘộ"},
    {0x303,
     "ANOanoIiUuVvÂâĂăEeÊêÔôƠơƯưYy",
     "ÃÑÕãñõĨĩŨũṼṽẪẫẴẵẼẽỄễỖỗỠỡỮữỸỹ"},
    {0x304,
     "AaEeIiOoUuÜüÄäȦȧÆæǪǫÖöÕõȮȯYyИиУуGgḶḷṚṛ",
     "ĀāĒēĪīŌōŪūǕǖǞǟǠǡǢǣǬǭȪȫȬȭȰȱȲȳӢӣӮӯḠḡḸḹṜṝ"},
    {0x306,
     "AaEeGgIiOoUuУИиуЖжАаЕеȨȩẠạ",
     "ĂăĔĕĞğĬĭŎŏŬŭЎЙйўӁӂӐӑӖӗḜḝẶặ"},
    {0x307,
     "CcEeGgIZzAaOoBbDdFfHhMmNnPpRrSsŚśŠšṢṣTtWwXxYyſ",
     "ĊċĖėĠġİŻżȦȧȮȯḂḃḊḋḞḟḢḣṀṁṄṅṖṗṘṙṠṡṤṥṦṧṨṩṪṫẆẇẊẋẎẏẛ"},
    {0x308,
     "AEIOUaeiouyYΙΥιυЕІеіАаӘәЖжЗзИиОоӨөЭэУуЧчЫыHhÕõŪūWwXxt",
     "ÄËÏÖÜäëïöüÿŸΪΫϊϋЁЇёїӒӓӚӛӜӝӞӟӤӥӦӧӪӫӬӭӰӱӴӵӸӹḦḧṎṏṺṻẄẅẌẍẗ"},
    {0x309,
     "AaÂâĂăEeÊêIiOoÔôƠơUuƯưYy",
     "ẢảẨẩẲẳẺẻỂểỈỉỎỏỔổỞởỦủỬửỶỷ"},
    {0x30a,
     "AaUuwy",
     "ÅåŮůẘẙ"},
    {0x30b,
     "OoUuУу",
     "ŐőŰűӲӳ"},
    {0x30c,
     "CcDdEeLlNnRrSsTtZzAaIiOoUuÜüGgKkƷʒjHh",
     "ČčĎďĚěĽľŇňŘřŠšŤťŽžǍǎǏǐǑǒǓǔǙǚǦǧǨǩǮǯǰȞȟ"},
    {0x30f,
     "AaEeIiOoRrUuѴѵ",
     "ȀȁȄȅȈȉȌȍȐȑȔȕѶѷ"},
    {0x311,
     "AaEeIiOoRrUu",
     "ȂȃȆȇȊȋȎȏȒȓȖȗ"},
    {0x31b,
     "OoUu",
     "ƠơƯư"},
    {0x323,
     "BbDdHhKkLlMmNnRrSsTtVvWwZzAaEeIiOoƠơUuƯưYy",
     "ḄḅḌḍḤḥḲḳḶḷṂṃṆṇṚṛṢṣṬṭṾṿẈẉẒẓẠạẸẹỊịỌọỢợỤụỰựỴỵ"},
    {0x324,
     "Uu",
     "Ṳṳ"},
    {0x325,
     "Aa",
     "Ḁḁ"},
    {0x326,
     "SsTt",
     "ȘșȚț"},
    {0x327,
     "CcGgKkLlNnRrSsTtEeDdHh",
     "ÇçĢģĶķĻļŅņŖŗŞşŢţȨȩḐḑḨḩ"},
    {0x328,
     "AaEeIiUuOo",
     "ĄąĘęĮįŲųǪǫ"},
    {0x32d,
     "DdEeLlNnTtUu",
     "ḒḓḘḙḼḽṊṋṰṱṶṷ"},
    {0x32e,
     "Hh",
     "Ḫḫ"},
    {0x330,
     "EeIiUu",
     "ḚḛḬḭṴṵ"},
    {0x331,
     "BbDdKkLlNnRrTtZzh",
     "ḆḇḎḏḴḵḺḻṈṉṞṟṮṯẔẕẖ"},
    /* clang-format on */
};

enum { MARKS = sizeof(table) / sizeof(table[0]) };

/* What stands in `to` where `from` has cp; 0 if it is not there. */
static uint32_t counterpart(const char *from, const char *to, uint32_t cp) {
    while (*from) {
        size_t a, b;
        const uint32_t at = str_decode(from, &a), other = str_decode(to, &b);
        if (at == cp)
            return other;
        from += a;
        to += b;
    }
    return 0;
}

uint32_t str_compose(uint32_t base, uint32_t mark) {
    for (int i = 0; i < MARKS; i++)
        if (table[i].mark == mark)
            return counterpart(table[i].base, table[i].whole, base);
    return 0;
}

uint32_t str_base_letter(uint32_t cp) {
    if (cp < 0xc0)
        return cp;
    for (int i = 0; i < MARKS; i++) {
        const uint32_t base = counterpart(table[i].whole, table[i].base, cp);
        if (base)
            return str_base_letter(base); /* there may be another mark on it */
    }
    return cp;
}
