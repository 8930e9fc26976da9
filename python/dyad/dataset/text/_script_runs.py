"""Unicode's Script property (version 14), which Python's unicodedata does not have: the starts of runs of a script.

A line names a script and the first code points of its runs, in hexadecimal; a run ends where the next one of any
script starts. Gaps of unassigned code points belong to the run before them.
"""

SCRIPT_RUNS = """
Adlam 1e900
Ahom 11700
Anatolian_Hieroglyphs 14400
Arabic 600 606 60d 61c 620 641 656 671 6de 750 870 8e3 fb50 fd40 fe70 10e60 1ee00
Armenian 531 fb13
Avestan 10b00
Balinese 1b00
Bamum a6a0 16800
Bassa_Vah 16ad0
Batak 1bc0
Bengali 980
Bhaiksuki 11c00
Bopomofo 2ea 3105 31a0
Brahmi 11000
Braille 2800
Buginese 1a00
Buhid 1740
Canadian_Aboriginal 1400 18b0 11ab0
Carian 102a0
Caucasian_Albanian 10530
Chakma 11100
Cham aa00
Cherokee 13a0 ab70
Chorasmian 10fb0
Common 0 5b 7b ab bb d7 f7 2b9 2e5 2ec 374 37e 385 387 605 60c 61b 61f 640 6dd 8e2 964 e3f fd5 10fb 16eb
  1735 1802 1805 1cd3 1ce1 1ce9 1cee 1cf5 1cfa 2000 200e 2074 2080 20a0 2100 2127 212c 2133 214f 2189 2900
  2e00 2ff0 3006 3008 3030 303c 309b 30a0 30fb 3190 31c0 3220 327f 32ff 3358 4dc0 a700 a788 a830 a92e a9cf
  ab5b ab6a fd3e fe10 fe30 feff ff3b ff5b ff70 ff9e ffe0 10100 10190 101d0 102e1 1bca0 1cf50 1d16a 1d183
  1d18c 1d1ae 1d2e0 1ec71 1f000 1f201 e0001
Coptic 3e2 2c80
Cuneiform 12000
Cypriot 10800
Cypro_Minoan 12f90
Cyrillic 400 487 1c80 1d2b 1d78 2de0 a640 fe2e
Deseret 10400
Devanagari 900 955 966 a8e0
Dives_Akuru 11900
Dogra 11800
Duployan 1bc00
Egyptian_Hieroglyphs 13000
Elbasan 10500
Elymaic 10fe0
Ethiopic 1200 2d80 ab01 1e7e0
Georgian 10a0 10fc 1c90 2d00
Glagolitic 2c00 1e000
Gothic 10330
Grantha 11300 1133c
Greek 370 375 37f 386 388 3f0 1d26 1d5d 1d66 1dbf 1f00 2126 ab65 10140 101a0 1d200
Gujarati a81
Gunjala_Gondi 11d60
Gurmukhi a01
Han 2e80 3005 3007 3021 3038 3400 4e00 f900 16fe2 16ff0 20000 2f800 30000
Hangul 1100 302e 3131 3200 3260 a960 ac00 ffa0
Hanifi_Rohingya 10d00
Hanunoo 1720
Hatran 108e0
Hebrew 591 fb1d
Hiragana 3041 309d 1b001 1b150 1f200
Imperial_Aramaic 10840
Inherited 300 485 64b 670 951 1ab0 1cd0 1cd4 1ce2 1ced 1cf4 1cf8 1dc0 200c 20d0 302a 3099 fe00 fe20 101fd
  102e0 1133b 1cf00 1d167 1d17b 1d185 1d1aa e0100
Inscriptional_Pahlavi 10b60
Inscriptional_Parthian 10b40
Javanese a980 a9d0
Kaithi 11080
Kannada c80
Katakana 30a1 30fd 31f0 32d0 3300 ff66 ff71 1aff0 1b120 1b164
Kayah_Li a900 a92f
Kharoshthi 10a00
Khitan_Small_Script 16fe4 18b00
Khmer 1780 19e0
Khojki 11200
Khudawadi 112b0
Lao e81
Latin 41 61 aa ba c0 d8 f8 2e0 1d00 1d2c 1d62 1d6b 1d79 1e00 2071 207f 2090 212a 2132 214e 2160 2c60 a722
  a78b ab30 ab5c ab66 fb00 ff21 ff41 10780 1df00
Lepcha 1c00
Limbu 1900
Linear_A 10600
Linear_B 10000
Lisu a4d0 11fb0
Lycian 10280
Lydian 10920
Mahajani 11150
Makasar 11ee0
Malayalam d00
Mandaic 840
Manichaean 10ac0
Marchen 11c70
Masaram_Gondi 11d00
Medefaidrin 16e40
Meetei_Mayek aae0 abc0
Mende_Kikakui 1e800
Meroitic_Cursive 109a0
Meroitic_Hieroglyphs 10980
Miao 16f00
Modi 11600
Mongolian 1800 1804 1806 11660
Mro 16a40
Multani 11280
Myanmar 1000 a9e0 aa60
Nabataean 10880
Nandinagari 119a0
New_Tai_Lue 1980
Newa 11400
Nko 7c0
Nushu 16fe1 1b170
Nyiakeng_Puachue_Hmong 1e100
Ogham 1680
Ol_Chiki 1c50
Old_Hungarian 10c80
Old_Italic 10300
Old_North_Arabian 10a80
Old_Permic 10350
Old_Persian 103a0
Old_Sogdian 10f00
Old_South_Arabian 10a60
Old_Turkic 10c00
Old_Uyghur 10f70
Oriya b01
Osage 104b0
Osmanya 10480
Pahawh_Hmong 16b00
Palmyrene 10860
Pau_Cin_Hau 11ac0
Phags_Pa a840
Phoenician 10900
Psalter_Pahlavi 10b80
Rejang a930
Runic 16a0 16ee
Samaritan 800
Saurashtra a880
Sharada 11180
Shavian 10450
Siddham 11580
SignWriting 1d800
Sinhala d81 111e1
Sogdian 10f30
Sora_Sompeng 110d0
Soyombo 11a50
Sundanese 1b80 1cc0
Syloti_Nagri a800
Syriac 700 860
Tagalog 1700
Tagbanwa 1760
Tai_Le 1950
Tai_Tham 1a20
Tai_Viet aa80
Takri 11680
Tamil b82 11fc0
Tangsa 16a70
Tangut 16fe0 17000 18d00
Telugu c00
Thaana 780
Thai e01 e40
Tibetan f00 fd9
Tifinagh 2d30
Tirhuta 11480
Toto 1e290
Ugaritic 10380
Unknown d7fc 10d3a 11af9 11daa 12544 13439 14647 16b90 18d09 1b2fc 1bca4 1dab0 1e150 1e300 1e960 1eef2 1fbfa
  2ebe1 2fa1e 3134b e01f0
Vai a500
Vithkuqi 10570
Wancho 1e2c0
Warang_Citi 118a0
Yezidi 10e80
Yi a000
Zanabazar_Square 11a00
"""
